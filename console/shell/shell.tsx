import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Drawer from '@mui/material/Drawer'
import { Suspense, useEffect, useState } from 'react'
import { type CoreLayoutProps, Navigate, useLocation } from 'react-admin'
import { mayBeSignedIn } from '../client/auth-provider.ts'
import { MeProvider } from '../me/me.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Grow } from '../ui/layout.tsx'
import { Notices } from '../ui/notices.tsx'
import { lazily, WaitingNotice } from '../ui/pending.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

const loadSearch = () => import('./search-dialog.tsx')
const SearchDialog = lazily('SearchDialog', loadSearch)

const sidebarWidth = 232

/** The frame of every page: navigation, account and search. */
export function Shell({ children }: CoreLayoutProps) {
  const { pathname, search } = useLocation()
  if (!mayBeSignedIn()) {
    return <Navigate to="/login" replace state={{ nextPathname: pathname, nextSearch: search }} />
  }
  return (
    <MeProvider>
      <Frame>{children}</Frame>
      <Notices />
    </MeProvider>
  )
}

function Frame({ children }: CoreLayoutProps) {
  const { shell } = useTexts()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [isSearching, setSearching] = useState(false)
  const { pathname } = useLocation()
  useShortcuts(() => setSearching(true))
  useEffect(() => setMenuOpen(false), [pathname])
  // Loaded before it is first opened, so that no letter typed after the shortcut is lost.
  useEffect(() => void loadSearch(), [])
  return (
    <Box sx={{ display: 'flex', minHeight: '100vh' }}>
      <SkipLink />
      <Box
        component="aside"
        sx={{ display: { xs: 'none', md: 'block' }, width: sidebarWidth, flexShrink: 0, displayPrint: 'none' }}
      >
        <Box
          sx={{
            position: 'sticky',
            top: 0,
            height: '100vh',
            overflowY: 'auto',
            borderRight: 1,
            borderColor: 'divider',
            bgcolor: 'background.paper',
          }}
        >
          <Sidebar />
        </Box>
      </Box>
      <Drawer
        open={isMenuOpen}
        onClose={() => setMenuOpen(false)}
        slotProps={{ paper: { sx: { width: 280 }, 'aria-label': shell.menu } }}
      >
        <Sidebar />
      </Drawer>
      <Grow>
        <TopBar onMenu={() => setMenuOpen(true)} onSearch={() => setSearching(true)} />
        <Box component="main" id="content" tabIndex={-1} sx={{ p: { xs: 2, sm: 3 }, outline: 'none' }}>
          <Suspense fallback={<WaitingNotice />}>{children}</Suspense>
        </Box>
      </Grow>
      <Suspense>{isSearching && <SearchDialog onClose={() => setSearching(false)} />}</Suspense>
    </Box>
  )
}

/** The first element for the keyboard. A button and no link, because the address after # selects the page. */
function SkipLink() {
  const { shell } = useTexts()
  return (
    <Button
      variant="contained"
      onClick={() => document.getElementById('content')?.focus()}
      sx={{ position: 'fixed', top: 8, left: 8, zIndex: 2000, '&:not(:focus)': { transform: 'translateY(-200%)' } }}
    >
      {shell.skip}
    </Button>
  )
}

/** Handles shortcuts. Ctrl-K or Cmd-K opens the search. "/" focuses the search of the page, or opens the search. */
function useShortcuts(search: () => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isEverywhere = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !isTyping(event.target)
      if (!isEverywhere && !isSlash) return
      event.preventDefault()
      const field = document.querySelector<HTMLInputElement>('input[type=search]')
      if (isSlash && field) field.focus()
      else search()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [search])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
