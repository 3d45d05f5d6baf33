import { useReference } from 'ra-core'
import { referenceOf } from '#registry/fields/index.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { MutedText } from '../../ui/panel.tsx'
import type { RecordForm } from './use-record-form.ts'

/** Says what is open of the record that a new one settles, and what would stay open. */
export function OpenAfter({ form: { definition, before, values } }: { form: RecordForm }) {
  const { due: texts } = useTexts()
  const { company, may } = useMe()
  const format = useFormat()
  const [by = '', field] = Object.entries(definition.fields).find(([, one]) => referenceOf(one)?.settles) ?? []
  const reference = field && referenceOf(field)
  const { list } = (reference && definitionOf(registry, reference.to)) ?? {}
  const [ours = ''] =
    Object.entries(reference?.gives?.fields ?? {}).find(([, theirs]) => theirs === list?.due?.open) ?? []
  const id = values[by]
  const isAsked = before === null && ours !== '' && typeof id === 'number'
  const { referenceRecord } = useReference({
    reference: reference?.to ?? '',
    id: isAsked ? id : 0,
    options: { enabled: isAsked && may(reference?.to ?? '', 'VIEW') },
  })
  const [open, paid] = [referenceRecord?.[list?.due?.open ?? ''], values[ours]]
  if (!isAsked || typeof open !== 'number') return null
  const left = open - (typeof paid === 'number' ? paid : 0)
  const money = (minor: number) => format.money(minor, company.currency)
  return (
    <MutedText role="status" mb={1}>
      {left < 0 ? texts.tooMuch(money(open), money(-left)) : texts.stays(money(open), money(left))}
    </MutedText>
  )
}
