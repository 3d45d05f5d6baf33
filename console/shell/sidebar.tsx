import AccessTime from '@mui/icons-material/AccessTime'
import Apartment from '@mui/icons-material/Apartment'
import Article from '@mui/icons-material/Article'
import AgentsIcon from '@mui/icons-material/AssistantOutlined'
import Build from '@mui/icons-material/Build'
import Construction from '@mui/icons-material/Construction'
import ContactPage from '@mui/icons-material/ContactPage'
import Delete from '@mui/icons-material/DeleteOutlined'
import Engineering from '@mui/icons-material/Engineering'
import FolderOpen from '@mui/icons-material/FolderOpen'
import Handshake from '@mui/icons-material/Handshake'
import HomeIcon from '@mui/icons-material/HomeOutlined'
import Receipt from '@mui/icons-material/Receipt'
import RequestQuote from '@mui/icons-material/RequestQuote'
import SettingsIcon from '@mui/icons-material/SettingsOutlined'
import TaskAlt from '@mui/icons-material/TaskAlt'
import Box from '@mui/material/Box'
import Chip from '@mui/material/Chip'
import List from '@mui/material/List'
import ListItem from '@mui/material/ListItem'
import ListItemButton from '@mui/material/ListItemButton'
import ListItemIcon from '@mui/material/ListItemIcon'
import ListItemText from '@mui/material/ListItemText'
import { type ComponentType, type ReactNode, useId } from 'react'
import { LinkBase, useLocation } from 'react-admin'
import type { Definition } from '#registry/definition.ts'
import { useWaiting } from '../agents/use-waiting.ts'
import { useMe } from '../me/me.tsx'
import { useRecordTexts, useTexts } from '../texts/texts.tsx'
import { Brand } from '../ui/page.tsx'
import { MutedText } from '../ui/panel.tsx'
import { agentsPath, businessDocuments, lists, servedDefinitions } from './places.ts'

/** Links to all pages that the account may use. */
export function Sidebar() {
  const { shell } = useTexts()
  const { may, holds, company } = useMe()
  const { many } = useRecordTexts()
  const id = useId()
  const visible = (definitions: readonly Definition[]) => definitions.filter(({ name }) => may(name, 'VIEW'))
  const hasSettings =
    ['API_MANAGE', 'ACCOUNTS_MANAGE', 'COMPANY_MANAGE', 'AUDIT_VIEW'].some(holds) || visible(lists).length > 0
  const placesOf = (definitions: readonly Definition[]) =>
    visible(definitions).map(({ name }) => (
      <Place key={name} to={`/${name}`} label={many(name)} icon={<ResourceIcon resource={name} />} />
    ))
  return (
    <Box component="nav" aria-label={shell.menu} sx={{ p: 1.5 }}>
      <Box sx={{ p: 1, mb: 1 }}>
        <Brand />
        <MutedText mt={0.5}>{company.name}</MutedText>
      </Box>
      <List disablePadding>
        <Place to="/" label={shell.home} icon={<HomeIcon fontSize="small" />} />
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
        <Place to="/removals" label={shell.removals} icon={<Delete fontSize="small" />} />
        {hasSettings && <Place to="/settings" label={shell.settings} icon={<SettingsIcon fontSize="small" />} />}
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
      icon={<AgentsIcon fontSize="small" />}
      beside={count > 0 && <Chip size="small" color="warning" label={count} aria-label={agents.menu(count)} />}
    />
  )
}

type PlaceProps = { to: string; label: string; icon: ReactNode; beside?: ReactNode }

function Place({ to, label, icon, beside }: PlaceProps) {
  const { pathname } = useLocation()
  const isHere = to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`)
  return (
    <ListItem disablePadding>
      <ListItemButton component={LinkBase} to={to} selected={isHere} aria-current={isHere ? 'page' : undefined}>
        <ListItemIcon sx={{ minWidth: 32, color: isHere ? 'primary.main' : undefined }}>{icon}</ListItemIcon>
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
const icons: { readonly [resource: string]: ComponentType<{ fontSize?: 'small' }> } = {
  projects: FolderOpen,
  workers: Engineering,
  clients: Apartment,
  estimates: RequestQuote,
  subcontractors: Handshake,
  equipment: Construction,
  tasks: TaskAlt,
  contacts: ContactPage,
  time_entries: AccessTime,
  invoices: Receipt,
  equipment_logs: Build,
}

function ResourceIcon({ resource }: { resource: string }) {
  const Icon = icons[resource] ?? Article
  return <Icon fontSize="small" />
}
