import Alert from '@mui/material/Alert'
import Typography from '@mui/material/Typography'
import { useNotify } from 'ra-core'
import { useEffect, useState } from 'react'
import type { Definition } from '#registry/definition.ts'
import type { Preview, RecordsSummary } from '#registry/refusals.ts'
import { definitionOf, registry } from '#registry/resources/index.ts'
import { isRefused, previewRemoval, type RefusedError } from '../../client/ask.ts'
import { useWrite } from '../../client/use-write.ts'
import { useMe } from '../../me/me.tsx'
import { pathOf } from '../../shell/places.ts'
import type { Texts } from '../../texts/en/index.ts'
import { errorText } from '../../texts/refusal-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Bullets } from '../../ui/layout.tsx'
import { Note, Text } from '../../ui/panel.tsx'
import { PendingContent, WaitingNotice } from '../../ui/pending.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { useUndo } from '../history/history.tsx'

type RemoveDialogProps = {
  definition: Definition
  id: number | string
  title: string
  onClose(): void
  onRemoved(): void
}

/** Asks before a deletion. Shows which records go, stay or block it, and the alternative. */
export function RemoveDialog({ definition, id, title, onClose, onRemoved }: RemoveDialogProps) {
  const texts = useTexts()
  const { removal } = texts
  const notify = useNotify()
  const write = useWrite()
  const undo = useUndo()
  const asked = usePreview(definition.name, id)
  const [late, setLate] = useState<typeof asked.blocked>()
  const [isBusy, setBusy] = useState(false)
  const [changed, setChanged] = useState<Preview>()
  const plan = changed ?? asked.plan
  const blocked = late ?? asked.blocked

  async function remove(): Promise<void> {
    setBusy(true)
    try {
      const { writeId } = await write('records.delete', { records: definition.name, id, plan })
      notify(removal.deleted(title), {
        type: 'success',
        ...(writeId === null ? {} : { undo: () => undo([writeId]) }),
      })
      onRemoved()
    } catch (refused) {
      // A booking may have been added since the preview.
      if (isRefused(refused, 'delete_blocked')) setLate(refused)
      else if (isRefused(refused, 'plan_changed') && refused.body.plan) setChanged(refused.body.plan)
      else notify(errorText(refused, texts), { type: 'error' })
      setBusy(false)
    }
  }

  return (
    <AskFirst
      title={blocked ? removal.blocked : removal.title(title)}
      confirm={blocked ? undefined : texts.common.delete}
      isDangerous
      isBusy={isBusy}
      isDisabled={!plan}
      onConfirm={remove}
      onClose={onClose}
    >
      {!plan && !blocked && <PendingContent error={asked.error} />}
      {blocked && (
        <>
          <Alert severity="warning" variant="outlined">
            <Foreign text={blocked.body.detail} max={2000} />
          </Alert>
          <InvolvedList
            isLinked
            onFollow={onClose}
            title={removal.blockedBy}
            involved={blocked.body.blocked_by ?? []}
          />
        </>
      )}
      {changed && !blocked && (
        <Note severity="info" mb={1.5}>
          {removal.changed}
        </Note>
      )}
      {plan && !blocked && <PlanText plan={plan} />}
    </AskFirst>
  )
}

/** Shows the effect of the deletion. Records that go along are never erased. */
function PlanText({ plan }: { plan: Preview }) {
  const { removal } = useTexts()
  const { changes, would_delete: goes, would_keep: stays } = plan
  const mode = changes.some(({ action }) => action === 'erased') ? 'hard' : 'soft'
  return (
    <>
      <Typography>{mode === 'hard' ? removal.hard : removal.soft}</Typography>
      {goes.length + stays.length === 0 && <Typography color="textSecondary">{removal.nothingElse}</Typography>}
      <InvolvedList title={removal.goes} involved={goes} />
      <InvolvedList title={removal.stays} involved={stays} />
    </>
  )
}

type State = { plan?: Preview | undefined; blocked?: RefusedError; error?: unknown }

/** Loads the preview of a deletion. */
function usePreview(resource: string, id: number | string): State {
  const [state, setState] = useState<State>({})
  useEffect(() => {
    const aborter = new AbortController()
    previewRemoval(resource, id, aborter.signal).then(
      ({ plan }) => setState({ plan }),
      (error) => {
        if (aborter.signal.aborted) return
        setState(isRefused(error, 'delete_blocked') ? { blocked: error } : { error })
      },
    )
    return () => aborter.abort()
  }, [resource, id])
  return state
}

type Id = number | string
type RemoveSeveralProps = { definition: Definition; ids: readonly Id[]; onClose(): void; onDone(): void }
type PlannedRemoval = { id: Id; plan: Preview | undefined }
type RemovalPreview = {
  free: PlannedRemoval[]
  stuck: { id: Id; why: string }[]
  goes: RecordsSummary[]
  stays: RecordsSummary[]
}

/** Asks before the deletion of several records, with a common preview. Protected records stay. */
export function RemoveSeveral({ definition: { name }, ids, onClose, onDone }: RemoveSeveralProps) {
  const texts = useTexts()
  const { removal } = texts
  const notify = useNotify()
  const write = useWrite()
  const [looked, setLooked] = useState<RemovalPreview>()
  const [isBusy, setBusy] = useState(false)
  const [hasChanged, setChanged] = useState(false)
  const undo = useUndo()
  useEffect(() => {
    look(name, ids, texts).then(setLooked)
  }, [name, ids, texts])

  async function remove(): Promise<void> {
    setBusy(true)
    const free = looked?.free ?? []
    const answers = await Promise.allSettled(
      free.map(({ id, plan }) => write('records.delete', { records: name, id, plan })),
    )
    const writeIds = answers.flatMap((answer) => (answer.status === 'fulfilled' ? (answer.value.writeId ?? []) : []))
    if (writeIds.length > 0)
      notify(removal.severalDeleted(writeIds.length), { type: 'success', undo: () => undo(writeIds.toSorted()) })
    const changed = free.filter((_, index) => {
      const answer = answers[index]
      return answer?.status === 'rejected' && isRefused(answer.reason, 'plan_changed')
    })
    if (changed.length === 0) return onDone()
    // These records have changed since, so their preview is loaded again.
    const again = changed.map(({ id }) => id)
    setLooked(await look(name, again, texts))
    setChanged(true)
    setBusy(false)
  }

  return (
    <AskFirst
      title={removal.several(looked?.free.length ?? ids.length)}
      confirm={texts.common.delete}
      isDangerous
      isBusy={isBusy}
      isDisabled={!looked || looked.free.length === 0}
      onConfirm={remove}
      onClose={onClose}
    >
      {!looked && <WaitingNotice />}
      {looked && (
        <>
          {hasChanged && (
            <Note severity="info" mb={1.5}>
              {removal.changed}
            </Note>
          )}
          <Typography>{removal.soft}</Typography>
          {looked.stuck.length > 0 && (
            <>
              <Text mt={1.5}>{removal.severalBlocked(looked.stuck.length)}</Text>
              <Bullets>
                {looked.stuck.map(({ id, why }) => (
                  <li key={id}>
                    #{id}: {why}
                  </li>
                ))}
              </Bullets>
            </>
          )}
          <InvolvedList title={removal.goes} involved={looked.goes} />
          <InvolvedList title={removal.stays} involved={looked.stays} />
        </>
      )}
    </AskFirst>
  )
}

async function look(name: string, ids: readonly Id[], texts: Texts): Promise<RemovalPreview> {
  const answers = await Promise.allSettled(ids.map((id) => previewRemoval(name, id)))
  const previews = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  return {
    free: previews.map(({ data: { id }, plan }) => ({ id, plan })),
    stuck: answers.flatMap((answer, index) =>
      answer.status === 'rejected' ? [{ id: ids[index] as Id, why: errorText(answer.reason, texts) }] : [],
    ),
    goes: mergeGroups(previews.flatMap(({ plan }) => plan?.would_delete ?? [])),
    stays: mergeGroups(previews.flatMap(({ plan }) => plan?.would_keep ?? [])),
  }
}

/** Sums the groups with the same resource and effect. */
function mergeGroups(all: readonly RecordsSummary[]): RecordsSummary[] {
  const lines = new Map<string, RecordsSummary>()
  for (const one of all) {
    const key = `${one.records} ${one.effect}`
    const line = lines.get(key)
    lines.set(key, line ? { ...line, count: line.count + one.count } : one)
  }
  return [...lines.values()]
}

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
            {count} × {many(records)}
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
