import Typography from '@mui/material/Typography'
import type { RecordsSummary } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { useMe } from '../../me/me.tsx'
import { pathOf } from '../../shell/places.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Bullets } from '../../ui/layout.tsx'
import { Text } from '../../ui/panel.tsx'
import { TextLink } from '../../ui/text-link.tsx'

type InvolvedListProps = {
  title: string
  involved: readonly RecordsSummary[]
  isLinked?: boolean
  onFollow?: () => void
}

/** Lists the records of a deletion, counted by resource. */
export function InvolvedList({ title, involved, isLinked, onFollow }: InvolvedListProps) {
  const { removal } = useTexts()
  const { many } = useRecordTexts()
  const { may } = useMe()
  if (involved.length === 0) return null
  const effects: { readonly [effect: string]: string } = { unlinked: removal.unlinked, kept: removal.kept }
  return (
    <Text component="div" mt={1.5}>
      <Typography variant="h3">{title}</Typography>
      <Bullets>
        {involved.map(({ records, count, ids, effect }) => (
          <li key={records + effect}>
            {removal.count(count, many(records))}
            {effect && effects[effect] && ` – ${effects[effect]}`}
            {isLinked && definitionOf(registry, records) && may(records, 'VIEW') && (
              <>
                {': '}
                {ids.slice(0, 5).map((id, index) => (
                  <span key={id}>
                    {index > 0 && ', '}
                    <TextLink to={pathOf(records, id)} onClick={onFollow}>
                      #{id}
                    </TextLink>
                  </span>
                ))}
              </>
            )}
          </li>
        ))}
      </Bullets>
    </Text>
  )
}
