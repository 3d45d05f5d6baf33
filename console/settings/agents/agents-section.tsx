import FormControlLabel from '@mui/material/FormControlLabel'
import Switch from '@mui/material/Switch'
import { useState } from 'react'
import { loosensAgents } from '#derive/console/confirmed.ts'
import { agentRecordsMax } from '#registry/agents.ts'
import type { Agents } from '../../client/answers.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { agentsPath } from '../../shell/places.ts'
import { useTexts } from '../../texts/texts.tsx'
import { useUnsaved } from '../../ui/ask-first.tsx'
import { Foreign } from '../../ui/foreign.tsx'
import { Code } from '../../ui/layout.tsx'
import { Lead, Note, Panel, Text } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { PasswordField, SmallField, SmallForm, useSmallForm } from '../../ui/small-form.tsx'
import { TextLink } from '../../ui/text-link.tsx'

/** Switches the access of agents, and sets which of their writes need the approval of a person. */
export function AgentsSection() {
  const { data, error, reload } = useLoaded('agents.fetch')
  if (error || !data) return <PendingContent error={error} retry={reload} />
  return <AgentsForm key={JSON.stringify(data)} agents={data} onSaved={reload} />
}

function AgentsForm({ agents, onSaved }: { agents: Agents; onSaved(): Promise<unknown> }) {
  const { settings, common } = useTexts()
  const texts = settings.agents
  const { enabled, always, records_max, url } = agents
  const [typed, setTyped] = useState({ enabled, always, records: String(records_max) })
  const set = (change: Partial<typeof typed>) => setTyped({ ...typed, ...change })
  const [own, setOwn] = useState('')
  const wanted = {
    always: typed.always,
    records_max: /^\d{1,9}$/.test(typed.records) ? Number(typed.records) : agentRecordsMax + 1,
  }
  const form = useSmallForm(async ({ write, say }) => {
    const { data } = await write('agents.update', {
      body: { enabled: typed.enabled, ...wanted, ...(own === '' ? {} : { own_password: own }) },
    })
    await onSaved()
    say(data.enabled ? texts.savedOn : texts.savedOff)
  })
  const isLoosening = loosensAgents(enabled ? agents : null, typed.enabled ? wanted : null)
  // The service asks for it too if somebody else has changed the settings meanwhile.
  const needsOwn = form.wrong('own_password') !== undefined || isLoosening
  const unsaved = useUnsaved(
    typed.enabled !== enabled || typed.always !== always || typed.records !== String(records_max),
  )
  return (
    <>
      <Panel title={settings.sections.agents}>
        <Lead isNarrow>{texts.lead}</Lead>
        <Note severity="warning">{texts.limit}</Note>
        <SmallForm form={form} confirm={common.save} isDisabled={needsOwn && own === ''} maxWidth={560}>
          <FormControlLabel
            label={texts.enabled}
            control={<Switch checked={typed.enabled} onChange={(_, isOn) => set({ enabled: isOn })} />}
          />
          {typed.enabled && (
            <>
              <FormControlLabel
                label={settings.fields.always}
                control={<Switch checked={typed.always} onChange={(_, isOn) => set({ always: isOn })} />}
              />
              {!typed.always && (
                <SmallField
                  label={settings.fields.records_max}
                  slotProps={{ htmlInput: { inputMode: 'numeric' } }}
                  hint={texts.recordsMaxHint}
                  {...form.bindField('records_max', typed.records, (records) => set({ records }))}
                />
              )}
            </>
          )}
          {needsOwn && (
            <PasswordField
              label={settings.ownPassword}
              hint={texts.ownPasswordWhy}
              {...form.bindField('own_password', own, setOwn)}
            />
          )}
        </SmallForm>
        {unsaved.question}
      </Panel>
      {enabled && (
        <Panel title={texts.connect}>
          <Text mb={1}>{texts.connectLead}</Text>
          <Code aria-label={texts.address}>
            <Foreign text={url} />
          </Code>
          <Text mt={2}>
            <TextLink to={agentsPath}>{texts.asked}</TextLink>
          </Text>
        </Panel>
      )}
    </>
  )
}
