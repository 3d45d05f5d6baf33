import { useGetList } from 'ra-core'
import { type DaysLate, dueSpans, matchFilter, spanFilter } from '#derive/due.ts'
import { columnsOf } from '#derive/form/table.ts'
import type { Definition, DueWords } from '#registry/definition.ts'
import { registry } from '#registry/resources/index.ts'
import type { DueSum } from '../../client/answers.ts'
import { useFigures } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { listPath } from '../../shell/places.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Figure } from '../../ui/figure.tsx'
import { Tiles } from '../../ui/layout.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Trouble } from '../../ui/pending.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { type ListedRecord, Records } from './records.tsx'

/** Shows what is due of every resource that has such records: of the whole company, or of those that refer to a record. */
export function DuePanels({ of }: { of?: { records: string; id: number } }) {
  const { may, visible } = useMe()
  return registry
    .filter(({ name, list }) => list?.due && may(name, 'VIEW'))
    .flatMap((one) => {
      const definition = visible(one)
      const { due } = definition.list ?? {}
      if (!due) return []
      if (!of) return <DuePanel key={one.name} definition={definition} due={due} filter={{}} />
      return Object.entries(definition.fields)
        .filter(([, field]) => field.kind === 'reference' && field.to === of.records)
        .map(([by]) => (
          <DuePanel key={`${one.name}.${by}`} definition={definition} due={due} filter={{ [by]: of.id }} />
        ))
    })
}

const listedMax = 5

type DuePanelProps = { definition: Definition; due: DueWords; filter: object }

/** Shows what is due among the records of a filter, how late it is, and the records that are due first. */
function DuePanel({ definition, due, filter }: DuePanelProps) {
  const { name } = definition
  const { due: texts, show } = useTexts()
  const { many } = useRecordTexts()
  const { company } = useMe()
  const format = useFormat()
  const open = { ...filter, ...matchFilter(due.when) }
  const { data, error, reload } = useFigures('records.totals', { records: name, query: open })
  const { data: first } = useGetList<ListedRecord>(name, {
    pagination: { page: 1, perPage: listedMax },
    sort: { field: due.on, order: 'ASC' },
    filter: open,
  })
  if (error) {
    return (
      <Panel title={texts.title(many(name))}>
        <Trouble error={error} retry={reload} />
      </Panel>
    )
  }
  if (!data?.due || data.count === 0) return null
  const { today, ages, ...spans } = data.due
  const figure = (label: string, { count, minor }: DueSum, span: DaysLate | undefined) => ({
    key: label,
    label,
    figure: minor === null ? '–' : format.money(minor, company.currency),
    note: texts.count(count),
    to: listPath(name, { ...open, ...(span && spanFilter(due, today, span)) }),
  })
  const whole = { count: data.count, minor: data.sums[due.open] ?? null }
  return (
    <Panel
      title={texts.title(many(name))}
      aside={
        <TextLink to={listPath(name, open)}>
          {show.showAll} ({data.count})
        </TextLink>
      }
    >
      <Tiles width={190} gap={1} mb={1}>
        <Figure isSmall {...figure(texts.open, whole, undefined)} />
        {(['overdue', 'due_today', 'next_7'] as const).map((span) => (
          <Figure
            isSmall
            {...figure(texts[span], spans[span], dueSpans[span])}
            isBad={span === 'overdue' && spans.overdue.count > 0}
          />
        ))}
      </Tiles>
      <Tiles width={170} gap={1} mb={2}>
        {ages.map(({ from, to, ...sum }) => (
          <Figure isSmall {...figure(texts.late(from, to), sum, { from, to })} />
        ))}
      </Tiles>
      {first && (
        <Records
          definition={definition}
          columns={columnsOf(definition).filter((column) => column.initial && !(column.name in filter))}
          records={first}
        />
      )}
    </Panel>
  )
}
