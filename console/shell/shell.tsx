import {
  mdiAccountHardHat,
  mdiCheckCircleOutline,
  mdiClockOutline,
  mdiCogOutline,
  mdiDeleteOutline,
  mdiFileAccount,
  mdiFolderOutline,
  mdiHammerWrench,
  mdiHandshake,
  mdiHomeOutline,
  mdiInvoiceText,
  mdiMessageStarOutline,
  mdiOfficeBuilding,
  mdiReceiptText,
  mdiTextBox,
  mdiWrench,
} from '@mdi/js'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Chip from '@mui/material/Chip'
import Drawer from '@mui/material/Drawer'
import List from '@mui/material/List'
import ListItem from '@mui/material/ListItem'
import ListItemButton from '@mui/material/ListItemButton'
import ListItemIcon from '@mui/material/ListItemIcon'
import ListItemText from '@mui/material/ListItemText'
import { type CoreLayoutProps, LinkBase, Navigate, useLocation } from 'ra-core'
import { type ReactNode, Suspense, useEffect, useId, useState } from 'react'
import type { Definition } from '#registry/definition.ts'
import { companyPermissions } from '#registry/permissions.ts'
import { useWaiting } from '../agents/use-waiting.ts'
import { mayBeSignedIn } from '../client/auth-provider.ts'
import { MeProvider, useMe } from '../me/me.tsx'
import { useRecordTexts, useTexts } from '../texts/texts.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { Icon } from '../ui/icon.tsx'
import { Grow } from '../ui/layout.tsx'
import { Notices } from '../ui/notices.tsx'
import { Brand } from '../ui/page.tsx'
import { MutedText } from '../ui/panel.tsx'
import { lazily, WaitingNotice } from '../ui/pending.tsx'
import { agentsPath, businessDocuments, lists, servedDefinitions } from './places.ts'
import { TopBar } from './top-bar.tsx'

const loadSearch = () => import('./search-dialog.tsx')
const SearchDialog = lazily(async () => (await loadSearch()).SearchDialog)

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
      {/* The first element for the keyboard. A button and no link, because the address after # selects the page. */}
      <Button
        variant="contained"
        onClick={() => document.getElementById('content')?.focus()}
        sx={{ position: 'fixed', top: 8, left: 8, zIndex: 2000, '&:not(:focus)': { transform: 'translateY(-200%)' } }}
      >
        {shell.skip}
      </Button>
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

/** Links to all pages that the account may use. */
function Sidebar() {
  const { shell } = useTexts()
  const { may, holds, company } = useMe()
  const { many } = useRecordTexts()
  const id = useId()
  const visible = (definitions: readonly Definition[]) => definitions.filter(({ name }) => may(name, 'VIEW'))
  const hasSettings = companyPermissions.some(holds) || visible(lists).length > 0
  const placesOf = (definitions: readonly Definition[]) =>
    visible(definitions).map(({ name }) => (
      <Place key={name} to={`/${name}`} label={many(name)} icon={icons[name] ?? mdiTextBox} />
    ))
  return (
    <Box component="nav" aria-label={shell.menu} sx={{ p: 1.5 }}>
      <Box sx={{ p: 1, mb: 1 }}>
        <Brand />
        <MutedText mt={0.5}>
          <Foreign text={company.name} />
        </MutedText>
      </Box>
      <List disablePadding>
        <Place to="/" label={shell.home} icon={mdiHomeOutline} />
        {placesOf(servedDefinitions)}
      </List>
      {visible(businessDocuments).length > 0 && (
        <>
          <MutedText id={id} sx={{ px: 1.5, pt: 2, pb: 0.5, fontWeight: 600 }}>
            {shell.businessDocuments}
          </MutedText>
          <List disablePadding aria-labelledby={id}>
            {placesOf(businessDocuments)}
          </List>
        </>
      )}
      <List disablePadding sx={{ mt: 2, pt: 1, borderTop: 1, borderColor: 'divider' }}>
        <AgentsPlace />
        <Place to="/removals" label={shell.removals} icon={mdiDeleteOutline} />
        {hasSettings && <Place to="/settings" label={shell.settings} icon={mdiCogOutline} />}
      </List>
    </Box>
  )
}

/** The link to the agents' previews, with the number of waiting ones. */
function AgentsPlace() {
  const { agents } = useTexts()
  const data = useWaiting()
  if (!data?.is_used) return null
  const { count } = data
  return (
    <Place
      to={agentsPath}
      label={agents.title}
      icon={mdiMessageStarOutline}
      beside={count > 0 && <Chip size="small" color="warning" label={count} aria-label={agents.menu(count)} />}
    />
  )
}

type PlaceProps = { to: string; label: string; icon: string; beside?: ReactNode }

function Place({ to, label, icon, beside }: PlaceProps) {
  const { pathname } = useLocation()
  const isHere = to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`)
  return (
    <ListItem disablePadding>
      <ListItemButton component={LinkBase} to={to} selected={isHere} aria-current={isHere ? 'page' : undefined}>
        <ListItemIcon sx={{ minWidth: 32, color: isHere ? 'primary.main' : undefined }}>
          <Icon path={icon} fontSize="small" />
        </ListItemIcon>
        <ListItemText
          primary={label}
          slotProps={{ primary: { sx: { fontSize: '0.925rem', fontWeight: isHere ? 650 : 450 } } }}
        />
        {beside}
      </ListItemButton>
    </ListItem>
  )
}

/** Icons of resources. Others get a sheet of paper. */
const icons: { readonly [resource: string]: string } = {
  projects: mdiFolderOutline,
  workers: mdiAccountHardHat,
  clients: mdiOfficeBuilding,
  estimates: mdiInvoiceText,
  subcontractors: mdiHandshake,
  equipment: mdiHammerWrench,
  tasks: mdiCheckCircleOutline,
  contacts: mdiFileAccount,
  time_entries: mdiClockOutline,
  invoices: mdiReceiptText,
  equipment_logs: mdiWrench,
}
