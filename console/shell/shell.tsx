import Box from '@mui/material/Box'
import Drawer from '@mui/material/Drawer'
import { Suspense, useEffect, useState } from 'react'
import { type CoreLayoutProps, Navigate, useLocation } from 'react-admin'
import { mayBeSignedIn } from '../client/auth-provider.ts'
import { MeProvider } from '../me/me.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Notices } from '../ui/notices.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { SearchDialog } from './search-dialog.tsx'
import { Sidebar } from './sidebar.tsx'
import { SkipLink } from './skip-link.tsx'
import { TopBar } from './top-bar.tsx'
import { useShortcuts } from './use-shortcuts.ts'

const sidebarWidth = 232

/** Around every page: where one can go, who is there, and search. */
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
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <TopBar onMenu={() => setMenuOpen(true)} onSearch={() => setSearching(true)} />
        <Box component="main" id="content" tabIndex={-1} sx={{ p: { xs: 2, sm: 3 }, outline: 'none' }}>
          <Suspense fallback={<Waiting />}>{children}</Suspense>
        </Box>
      </Box>
      {isSearching && <SearchDialog onClose={() => setSearching(false)} />}
    </Box>
  )
}
