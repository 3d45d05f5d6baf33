import { type ReactNode, useState } from 'react'
import { type SendingMethod, sendingMethods } from '#derive/paper-content.ts'
import { listNeededRights } from '#derive/visible.ts'
import { type Definition, hasPaper } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { useMe } from '../../me/me.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Select, SmallField } from '../../ui/small-form.tsx'

/** How a paper was sent, and the day. */
export type Sending = { by: SendingMethod; on: string }

/** Returns how and when a paper is sent, today by e-mail at first, and the inputs. `wrong` returns the problem of a field. */
export function useSending(): { sending: Sending; inputs(wrong: (field: string) => string | undefined): ReactNode } {
  const { papers } = useTexts()
  const { today } = useMe()
  const [by, setBy] = useState<SendingMethod>('EMAIL')
  const [on, setOn] = useState(today)
  return {
    sending: { by, on },
    inputs: (wrong) => (
      <>
        <Select
          label={papers.by}
          value={by}
          options={sendingMethods.map((method) => ({ value: method, text: papers.methods[method] }))}
          onChange={(method) => setBy(method)}
        />
        <SmallField
          type="date"
          label={papers.on}
          slotProps={{ inputLabel: { shrink: true } }}
          value={on}
          onType={setOn}
          wrong={wrong('on')}
        />
      </>
    ),
  }
}

/** Returns whether the account may see all that stands on papers of a resource: they are whole or refused. */
export function useMaySeePapers(definition: Definition): boolean {
  const { may, holds } = useMe()
  if (!hasPaper(definition)) return false
  const target = definitionOf(registry, referenceOf(definition.fields[definition.paper.to])?.to ?? '')
  return !!target && may(target.name, 'VIEW') && listNeededRights(target, target.addressee ?? []).every(holds)
}
