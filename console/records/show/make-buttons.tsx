import Button from '@mui/material/Button'
import { useNavigate } from 'react-admin'
import { madeFrom } from '#derive/form/relations.ts'
import type { Definition } from '#registry/definition.ts'
import type { JsonObject } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { useRecordTexts } from '../../texts/texts.tsx'
import { createPath } from '../paths.ts'

/** What is made from a record as it stands: a form that begins with what the record gives. */
export function MakeButtons({ definition, record }: { definition: Definition; record: JsonObject }) {
  const { make } = useRecordTexts()
  const { may } = useMe()
  const navigate = useNavigate()
  return madeFrom(definition, record)
    .filter(({ records }) => may(records.name, 'EDIT'))
    .map(({ records, given }) => (
      <Button
        key={records.name}
        variant="contained"
        onClick={() => navigate(createPath(records.name), { state: { given } })}
      >
        {make(records.name)}
      </Button>
    ))
}
