import { mdiEmailOutline, mdiPrinterOutline, mdiSendCheckOutline, mdiShareVariantOutline } from '@mdi/js'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import { useGetOne, useNotify, useParams } from 'ra-core'
import { useMemo, useState } from 'react'
import { boxedCharacters, type PaperBlocks, paperBlocks, paperName } from '#derive/paper.ts'
import type { PaperContent } from '#derive/paper-content.ts'
import { capital } from '#derive/words.ts'
import { type Definition, hasPaper, type PaperDefinition } from '#registry/definition.ts'
import { referenceOf } from '#registry/fields/index.ts'
import type { PaperResult } from '../../client/answers.ts'
import { addressOf } from '../../client/ask.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { pathOf } from '../../shell/places.ts'
import { quote } from '../../texts/foreign.ts'
import { useFormat } from '../../texts/format.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { MutedText, Note } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { mailDraft } from './mail-draft.ts'
import { MarkSentDialog } from './mark-sent-dialog.tsx'
import { PaperArticle } from './paper-article.tsx'
import { PdfButton } from './paper-buttons.tsx'
import { canShareFiles, sharePdf } from './share.ts'

/** Shows the paper of a record as it is printed, and the ways on which it goes to its addressee. */
export function PaperPage({ definition }: { definition: Definition }) {
  return hasPaper(definition) ? <PaperOf definition={definition} /> : null
}

function PaperOf({ definition }: { definition: PaperDefinition }) {
  const { name } = definition
  const { id = '' } = useParams()
  const target = { records: name, id }
  const { papers } = useTexts()
  const { one } = useRecordTexts()
  const [showsSent, setShowsSent] = useState(false)
  const newest = useLoaded('records.paper', target)
  const now = useLoaded('records.paper', { ...target, query: { now: 1 } })
  const shown = showsSent ? newest : now
  const { data: paper } = shown
  const blocks = useMemo(
    () => paper && paperBlocks(definition, paper.content as unknown as PaperContent, paper.across),
    [definition, paper],
  )
  const above = { label: capital(one(name)), to: pathOf(name, id) }
  const reload = () => Promise.all([newest.reload(), now.reload()])
  if (!paper || !blocks || !newest.data) {
    return (
      <Page title={papers.send} above={above}>
        <PendingContent error={newest.error ?? now.error} retry={reload} />
      </Page>
    )
  }
  const { is_changed: isChanged, is_fixed: isFixed } = newest.data
  const query = showsSent ? {} : { now: 1 }
  return (
    <Page
      title={quote(blocks.title)}
      above={above}
      actions={
        <Actions
          definition={definition}
          content={paper.content as unknown as PaperContent}
          blocks={blocks}
          file={addressOf('records.paper-file', { ...target, query })}
          onSent={reload}
        />
      }
    >
      {isChanged && (
        <Note
          severity="warning"
          action={
            <Button color="inherit" size="small" onClick={() => setShowsSent(!showsSent)}>
              {showsSent ? papers.showNow : papers.showSent}
            </Button>
          }
        >
          {showsSent ? papers.changedWas : papers.changed}
        </Note>
      )}
      {!isFixed && <Note severity="info">{papers.notFixed}</Note>}
      <SentNote sent={newest.data} />
      <BoxesNote blocks={blocks} />
      <PaperArticle blocks={blocks} logo={addressOf('records.paper-logo', { ...target, query })} />
    </Page>
  )
}

/** Says how and when the newest paper was sent. */
function SentNote({ sent: { sent_on, sent_by } }: { sent: PaperResult }) {
  const { papers } = useTexts()
  const format = useFormat()
  if (sent_on === null || sent_by === null) return null
  return <Note severity="success">{papers.sent(papers.methods[sent_by], format.day(sent_on))}</Note>
}

/** Names the characters that the PDF cannot show. */
function BoxesNote({ blocks }: { blocks: PaperBlocks }) {
  const { papers } = useTexts()
  const characters = boxedCharacters(blocks)
  if (characters.length === 0) return null
  return <Note severity="warning">{papers.boxes(quote(characters.join(' ')))}</Note>
}

type ActionsProps = {
  definition: PaperDefinition
  content: PaperContent
  blocks: PaperBlocks
  /** The address of the PDF. */
  file: string
  onSent(): Promise<unknown>
}

function Actions({ definition, content, blocks, file, onSent }: ActionsProps) {
  const texts = useTexts()
  const { papers } = texts
  const { may } = useMe()
  const notify = useNotify()
  const sayTrouble = (error: unknown) => notify(errorText(error, texts), { type: 'error' })
  const [isMarking, setMarking] = useState(false)
  const client = referenceOf(definition.fields[definition.paper.to])?.to ?? ''
  const { data } = useGetOne(client, { id: content.addressee?.id }, { enabled: content.addressee !== null })
  const email = typeof data?.email === 'string' ? data.email : null
  const fileName = `${paperName(definition, content.record)}.pdf`
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'start', justifyContent: 'end' }}>
      <Button variant="outlined" startIcon={<Icon path={mdiPrinterOutline} />} onClick={() => window.print()}>
        {papers.print}
      </Button>
      <PdfButton file={file} />
      <Box>
        <Button variant="outlined" startIcon={<Icon path={mdiEmailOutline} />} href={mailDraft(blocks, email)}>
          {papers.mail}
        </Button>
        <MutedText sx={{ maxWidth: 220 }}>{email === null && data ? papers.noMail : papers.mailHint}</MutedText>
      </Box>
      {canShareFiles() && (
        <Button
          variant="outlined"
          startIcon={<Icon path={mdiShareVariantOutline} />}
          onClick={() => void sharePdf(file, fileName).catch(sayTrouble)}
        >
          {papers.share}
        </Button>
      )}
      {may(definition.name, 'EDIT') && (
        <Button variant="contained" startIcon={<Icon path={mdiSendCheckOutline} />} onClick={() => setMarking(true)}>
          {papers.markSent}
        </Button>
      )}
      {isMarking && (
        <MarkSentDialog
          records={definition.name}
          id={content.record.id}
          onSent={onSent}
          onClose={() => setMarking(false)}
        />
      )}
    </Box>
  )
}
