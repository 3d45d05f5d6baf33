import AccessTime from '@mui/icons-material/AccessTime'
import Apartment from '@mui/icons-material/Apartment'
import Article from '@mui/icons-material/Article'
import Build from '@mui/icons-material/Build'
import Construction from '@mui/icons-material/Construction'
import ContactPage from '@mui/icons-material/ContactPage'
import Engineering from '@mui/icons-material/Engineering'
import FolderOpen from '@mui/icons-material/FolderOpen'
import Handshake from '@mui/icons-material/Handshake'
import Receipt from '@mui/icons-material/Receipt'
import RequestQuote from '@mui/icons-material/RequestQuote'
import TaskAlt from '@mui/icons-material/TaskAlt'
import type { ComponentType } from 'react'

/** A picture beside a name; a resource without one of its own gets a sheet of paper. */
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

export function ResourceIcon({ resource }: { resource: string }) {
  const Icon = icons[resource] ?? Article
  return <Icon fontSize="small" />
}
