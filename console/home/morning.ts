import type { Entry } from '../records/history/entry.ts'

/** The figures of the morning; a part is absent where the account may not see its records. */
export type Morning = {
  projects_by_status?: { [status: string]: number }
  estimates_waiting?: { count: number; total_minor: number }
  expiring?: {
    until: string
    insurance: DueItem[]
    insurance_count: number
    licences: DueItem[]
    licences_count: number
  }
  service_due?: { until: string; count: number; items: DueItem[] }
  hours_to_approve?: { count: number; hours: number }
  draft_invoices?: { count: number }
  recent?: RecentEntry[]
}

export type DueItem = { id: number; name: string; on: string }
export type RecentEntry = Entry & { records: string; record_id: number; title: string | null }
