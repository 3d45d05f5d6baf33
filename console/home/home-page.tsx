import Button from '@mui/material/Button'
import Stack from '@mui/material/Stack'
import Typography from '@mui/material/Typography'
import { LinkBase } from 'ra-core'
import { statusOf } from '#derive/form/relations.ts'
import type { Definition } from '#registry/definition.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { PreviewRows } from '../agents/preview-rows.tsx'
import type { DueItem, HomeFigures, RecentEntry } from '../client/answers.ts'
import { useLoaded } from '../client/use-loaded.ts'
import { firstName } from '../me/first-name.ts'
import { useMe } from '../me/me.tsx'
import { Author } from '../records/history/history.tsx'
import { DuePanels } from '../records/list/due-panel.tsx'
import { DeadBanner, EndBanner, WebhookBanner } from '../settings/banners.tsx'
import { agentsPath, createPath, listPath, pathOf, servedDefinitions } from '../shell/places.ts'
import { useFormat } from '../texts/format.ts'
import { rawText } from '../texts/raw-text.ts'
import { useRecordTexts, useTexts } from '../texts/texts.tsx'
import { Figure } from '../ui/figure.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { BetweenRow, Pale, PlainList, Tiles, Unbroken } from '../ui/layout.tsx'
import { Page } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { PendingContent } from '../ui/pending.tsx'
import { TextLink } from '../ui/text-link.tsx'

/** Shows the figures that need attention. Each links to the list that it counts. */
export function HomePage() {
  const { home } = useTexts()
  const { account, holds } = useMe()
  const { data, error, reload } = useLoaded('home')
  return (
    <Page title={home.greeting(firstName(account.name))}>
      {holds('API_MANAGE') && (
        <>
          <EndBanner />
          <DeadBanner />
          <WebhookBanner />
        </>
      )}
      <PendingContent error={error} retry={reload} isThere={!!data} />
      {data && <MorningView morning={data} />}
    </Page>
  )
}

function MorningView({ morning }: { morning: HomeFigures }) {
  const { home, agents } = useTexts()
  const { company } = useMe()
  const format = useFormat()
  const { agent_previews } = morning
  const { projects_by_status, estimates_waiting, hours_to_approve, draft_invoices, expiring, service_due, recent } =
    morning
  return (
    <>
      {agent_previews && (
        <Panel title={agents.homeTitle} aside={<ShowAll to={agentsPath} count={agent_previews.count} />}>
          <PreviewRows previews={agent_previews.items} />
        </Panel>
      )}
      <Tiles width={230} mb={2}>
        {estimates_waiting && (
          <Figure
            label={home.estimates}
            figure={format.number(estimates_waiting.count)}
            note={home.worth(format.money(estimates_waiting.total_minor, company.currency))}
            to={listPath('estimates', { status: 'SENT' })}
          />
        )}
        {hours_to_approve && (
          <Figure
            label={home.hours}
            figure={format.number(hours_to_approve.count)}
            note={home.hoursOf(hours_to_approve.hours)}
            to={listPath('time_entries', { status: 'DRAFT' })}
          />
        )}
        {draft_invoices && (
          <Figure
            label={home.drafts}
            figure={format.number(draft_invoices.count)}
            to={listPath('invoices', { status: 'DRAFT' })}
          />
        )}
      </Tiles>
      <DuePanels />
      {morning.losing?.map((losing) => (
        <Losing key={losing.records} {...losing} />
      ))}
      {projects_by_status && <ProjectsByStatus counts={projects_by_status} />}
      <Tiles width={300} sx={{ alignItems: 'start' }}>
        {expiring && (
          <>
            <Due
              title={home.insurance}
              resource="subcontractors"
              items={expiring.insurance}
              count={expiring.insurance_count}
              to={listPath('subcontractors', { status: 'ACTIVE', insurance_expires_on_to: expiring.until })}
            />
            <Due
              title={home.licences}
              resource="subcontractors"
              items={expiring.licences}
              count={expiring.licences_count}
              to={listPath('subcontractors', { status: 'ACTIVE', license_expires_on_to: expiring.until })}
            />
          </>
        )}
        {service_due && (
          <Due
            title={home.service}
            resource="equipment"
            items={service_due.items}
            count={service_due.count}
            to={listPath('equipment', { next_service_on_to: service_due.until })}
          />
        )}
      </Tiles>
      {recent && <Recent entries={recent} />}
      {isBare(morning) && <FirstSteps />}
    </>
  )
}

/** Lists the records that lose money, those that lose most first. */
function Losing({ records, count, items }: LosingRecords) {
  const { money } = useTexts()
  const { many } = useRecordTexts()
  const { company } = useMe()
  const format = useFormat()
  return (
    <Panel title={`${money.losing(many(records))} (${format.number(count)})`}>
      <PlainList>
        {items.map(({ id, name, margin_minor, above_minor }) => (
          <BetweenRow as="li" key={id} sx={{ py: 0.5 }}>
            <TextLink to={pathOf(records, id)}>
              <Foreign text={name} />
            </TextLink>
            <span>
              {above_minor > 0 && <Pale>{money.above(format.money(above_minor, company.currency))} · </Pale>}
              <Unbroken sx={margin_minor < 0 ? { color: 'error.main', fontWeight: 600 } : {}}>
                {money.margin} {format.money(margin_minor, company.currency)}
              </Unbroken>
            </span>
          </BetweenRow>
        ))}
      </PlainList>
    </Panel>
  )
}

type LosingRecords = NonNullable<HomeFigures['losing']>[number]

function ProjectsByStatus({ counts }: { counts: { [status: string]: number } }) {
  const { home } = useTexts()
  const format = useFormat()
  const { value } = useRecordTexts()
  if (Object.keys(counts).length === 0) return null
  return (
    <Panel title={home.projects}>
      <Tiles isKept width={120} gap={1}>
        {inOrder(counts).map(([status, count]) => (
          <Figure
            key={status}
            isSmall
            label={value('projects', status)}
            figure={format.number(count)}
            to={listPath('projects', { status })}
          />
        ))}
      </Tiles>
    </Panel>
  )
}

/** Sorts counts by the order of the states in the definition. */
const inOrder = (counts: { [status: string]: number }): [string, number][] =>
  (statusOf(definitionOf(registry, 'projects') as Definition)?.values ?? []).flatMap((status) =>
    counts[status] === undefined ? [] : [[status, counts[status]] as [string, number]],
  )

/** Returns whether a company has no data yet. */
const isBare = ({ projects_by_status, recent }: HomeFigures): boolean =>
  Object.keys(projects_by_status ?? {}).length === 0 && (recent?.length ?? 0) === 0

function FirstSteps() {
  const { home } = useTexts()
  const { add } = useRecordTexts()
  const { may } = useMe()
  return (
    <Panel title={home.start}>
      <p>{home.startLead}</p>
      <Stack direction="row" spacing={1}>
        {servedDefinitions
          .filter(({ name }) => may(name, 'EDIT'))
          .map(({ name }) => (
            <Button key={name} variant="outlined" component={LinkBase} to={createPath(name)}>
              {add(name)}
            </Button>
          ))}
      </Stack>
    </Panel>
  )
}

/** The link from some records to the list of all. */
const ShowAll = ({ to, count }: { to: string; count: number }) => (
  <TextLink to={to}>
    {useTexts().show.showAll} ({count})
  </TextLink>
)

type DueProps = { title: string; resource: string; items: readonly DueItem[]; count: number; to: string }

/** Lists documents that lapse soon or have lapsed, the most urgent first. */
function Due({ title, resource, items, count, to }: DueProps) {
  const { home } = useTexts()
  const format = useFormat()
  const today = useMe().today()
  return (
    <Panel title={title} aside={count > 0 && <ShowAll to={to} count={count} />}>
      {items.length === 0 && <Typography color="textSecondary">{home.all}</Typography>}
      <PlainList>
        {items.map(({ id, name, on }) => (
          <BetweenRow as="li" key={id} sx={{ py: 0.5 }}>
            <TextLink to={pathOf(resource, id)}>
              <Foreign text={name} />
            </TextLink>
            <Unbroken sx={on < today ? { color: 'error.main', fontWeight: 600 } : { color: 'text.secondary' }}>
              {format.day(on)}
            </Unbroken>
          </BetweenRow>
        ))}
      </PlainList>
    </Panel>
  )
}

function Recent({ entries }: { entries: readonly RecentEntry[] }) {
  const { home, history } = useTexts()
  const { one } = useRecordTexts()
  const format = useFormat()
  if (entries.length === 0) return null
  const titleOf = ({ title, record_id, records }: RecentEntry) => {
    const definition = definitionOf(registry, records)
    const isDay = definition?.fields[definition.title]?.kind === 'date'
    if (title === null) return `#${record_id}`
    return isDay ? format.day(rawText(title)) : <Foreign text={title} />
  }
  return (
    <Panel title={home.recent}>
      <PlainList>
        {entries.map((entry) => (
          <Stack
            component="li"
            direction="row"
            key={`${entry.at}${entry.records}${entry.record_id}${entry.action}`}
            sx={{ py: 0.5, columnGap: 1 }}
          >
            <Pale>{one(entry.records)}</Pale>
            {/^delete/.test(entry.action) ? (
              <span>{titleOf(entry)}</span>
            ) : (
              <TextLink to={pathOf(entry.records, entry.record_id)}>{titleOf(entry)}</TextLink>
            )}
            <Pale>
              <Author of={entry} /> {history.actions[entry.action] ?? entry.action} ·{' '}
              <time dateTime={entry.at}>{format.moment(entry.at)}</time>
            </Pale>
          </Stack>
        ))}
      </PlainList>
    </Panel>
  )
}
