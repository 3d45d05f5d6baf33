import type { Double } from '#derive/import/importer.ts'
import { pathOf } from '../shell/places.ts'
import type { ForeignText } from '../texts/foreign.ts'
import { useRecordTexts, useTexts } from '../texts/texts.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { Bullets } from '../ui/layout.tsx'
import { TextLink } from '../ui/text-link.tsx'

type DoubleListProps = { records: string; doubles: readonly Double<ForeignText | string>[]; maxHeight?: number }

/** Lists doubles by the fields that are the same. A record opens beside the page, which may have unsaved values. */
export function DoubleList({ records, doubles, maxHeight }: DoubleListProps) {
  const { imports, form } = useTexts()
  const { label } = useRecordTexts()
  return (
    <Bullets mt={0.5} isSmall maxHeight={maxHeight}>
      {doubles.map((double) => (
        <li key={`${double.field} ${'id' in double ? double.id : `line ${double.line}`}`}>
          {form.alsoOf(label(records, double.field))}{' '}
          {'id' in double ? (
            <TextLink to={pathOf(records, double.id)} target="_blank" color="inherit" underline="always">
              <Foreign text={double.title} />
            </TextLink>
          ) : (
            <>
              <Foreign text={double.title} /> ({imports.line(double.line)})
            </>
          )}
        </li>
      ))}
    </Bullets>
  )
}
