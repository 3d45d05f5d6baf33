import { mdiFilePdfBox, mdiSendOutline } from '@mdi/js'
import Button from '@mui/material/Button'
import { LinkBase } from 'ra-core'
import type { PaperDefinition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import { addressOf } from '../../client/ask.ts'
import { useMe } from '../../me/me.tsx'
import { paperPath } from '../../shell/places.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Buttons on the page of a record: its PDF as it is now, and the page from which its paper is printed and sent. */
export function PaperButtons({ definition, id }: { definition: PaperDefinition; id: number | string }) {
  const { name, fields, paper } = definition
  const { papers } = useTexts()
  const { may } = useMe()
  // A paper is whole or refused.
  if (!may(referenceOf(fields[paper.to])?.to ?? '', 'VIEW')) return null
  return (
    <>
      <PdfButton file={addressOf('records.paper-file', { records: name, id, query: { now: 1 } })} />
      <Button
        variant="outlined"
        startIcon={<Icon path={mdiSendOutline} />}
        component={LinkBase}
        to={paperPath(name, id)}
      >
        {papers.send}
      </Button>
    </>
  )
}

/** Opens a PDF beside the page. */
export function PdfButton({ file }: { file: string }) {
  const { papers } = useTexts()
  return (
    <Button
      variant="outlined"
      startIcon={<Icon path={mdiFilePdfBox} />}
      href={file}
      target="_blank"
      rel="noopener noreferrer"
    >
      {papers.pdf}
    </Button>
  )
}
