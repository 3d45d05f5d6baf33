import Box from '@mui/material/Box'
import type { FormField } from '#derive/form.ts'
import type { Json } from '#registry/json.ts'
import { Pale } from '../../ui/layout.tsx'
import { FieldValue } from '../fields/field-value.tsx'

type ChangeProps = { field: FormField; resource: string; old: Json; now: Json; isNew: boolean }

/** What a field had and what it has, as people read it. */
export const Change = ({ field, resource, old, now, isNew }: ChangeProps) => (
  <>
    {!isNew && (
      <>
        <Pale as="del">
          <FieldValue isShort field={field} resource={resource} value={old} />
        </Pale>
        {' → '}
      </>
    )}
    <Box component="ins" sx={{ textDecoration: 'none' }}>
      <FieldValue isShort field={field} resource={resource} value={now} />
    </Box>
  </>
)
