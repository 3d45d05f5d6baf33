import { fieldsOf } from '#derive/form.ts'
import { filterOfSum, isAmount } from '#derive/sums.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useFigures } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { listPath } from '../../shell/places.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Figure } from '../../ui/figure.tsx'
import { Tiles } from '../../ui/layout.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Trouble } from '../../ui/pending.tsx'
import type { ListedRecord } from '../list/records.tsx'

type MoneyPanelProps = { definition: Definition; sums: NonNullable<Definition['sums']>; record: ListedRecord }

/**
 * Shows the sums of a record, each with a link to what it adds, and its margin; beside them the amounts of one that has a
 * budget.
 */
export function MoneyPanel({ definition, sums, record }: MoneyPanelProps) {
  const { name, budget } = definition
  const { money } = useTexts()
  const { label, sum: sumLabel } = useRecordTexts()
  const { company } = useMe()
  const format = useFormat()
  const { data, error, reload } = useFigures('records.sums', { records: name, id: String(record.id) })
  if (error)
    return (
      <Panel title={money.title}>
        <Trouble error={error} retry={reload} />
      </Panel>
    )
  if (!data) return null
  const amount = (minor: number | null): string => (minor === null ? '–' : format.money(minor, company.currency))
  const cost = Object.entries(data.sums).reduce(
    (total, [sum, minor]) => total + (sums[sum]?.counts === 'out' ? (minor ?? 0) : 0),
    0,
  )
  const { margin_minor: margin } = data
  return (
    <Panel title={money.title}>
      <Tiles isKept width={180} gap={1}>
        {fieldsOf(definition)
          .filter(({ kind, name: field }) => budget && kind === 'money' && typeof record[field] === 'number')
          .map(({ name: field }) => {
            const minor = Number(record[field])
            const isBad = field === budget && cost > minor
            return <Figure key={field} isSmall label={label(name, field)} figure={amount(minor)} isBad={isBad} />
          })}
        {Object.entries(sums)
          .filter(([sum, { by }]) => data.sums[sum] !== undefined && Object.values(by).every((ours) => record[ours]))
          .map(([sum, words]) => {
            const value = data.sums[sum] ?? null
            return (
              <Figure
                key={sum}
                isSmall
                label={sumLabel(name, sum)}
                figure={isAmount(words) ? amount(value) : format.number(value ?? 0)}
                to={listPath(words.of, filterOfSum(words, record as JsonObject))}
              />
            )
          })}
        {margin !== undefined && (
          <Figure isSmall label={money.margin} figure={amount(margin)} isBad={margin !== null && margin < 0} />
        )}
      </Tiles>
    </Panel>
  )
}
