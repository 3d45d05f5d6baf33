import Button from '@mui/material/Button'
import Typography from '@mui/material/Typography'
import { useNotify } from 'ra-core'
import { company as definition } from '#registry/company.ts'
import type { JsonObject } from '#registry/json.ts'
import { subscriptionPlans } from '#registry/subscription.ts'
import type { CompanyResult } from '../../client/answers.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useWrite } from '../../client/use-write.ts'
import { useMe } from '../../me/me.tsx'
import { SaveForm, useSave } from '../../records/form/save-form.tsx'
import { SchemaForm } from '../../records/form/schema-form.tsx'
import { type RecordForm, useRecordForm } from '../../records/form/use-record-form.ts'
import { useFormat } from '../../texts/format.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { useUnsaved } from '../../ui/ask-first.tsx'
import { Bullets } from '../../ui/layout.tsx'
import { Lead, Note, Panel, Text } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { LogoPanel } from './logo-panel.tsx'

/** Changes what papers show and forms begin with. Shows plan and add-ons, which the operator changes. */
export function CompanySection() {
  const { settings } = useTexts()
  const { data, error, reload } = useLoaded('company.fetch')
  if (error || !data) return <PendingContent error={error} retry={reload} />
  return (
    <>
      {data.is_plain && <Note severity="warning">{settings.company.plain}</Note>}
      <CompanyForm key={JSON.stringify(fieldsOf(data))} company={data} onSaved={reload} />
      <LogoPanel company={data} onSaved={reload} />
      <Terms company={data} />
    </>
  )
}

function CompanyForm({ company, onSaved }: { company: CompanyResult; onSaved(): Promise<unknown> }) {
  const { settings, common } = useTexts()
  const me = useMe()
  const write = useWrite()
  const notify = useNotify()
  const form = useRecordForm(definition, fieldsOf(company))
  const unsaved = useUnsaved(form.isDirty)
  const saving = useSave({
    form,
    id: company.id,
    send: async () => (await write('company.update', { body: form.changes })).data.id,
    onSaved() {
      if (Object.keys(form.changes).length === 0) return
      notify(settings.company.saved, { type: 'success' })
      onSaved().then(me.reload)
    },
    // Its answer was lost and the form was changed since: this is another change, under a new key.
    onRace: () => void saving.save(),
  })
  const cancel = () => form.restart(fieldsOf(company), fieldsOf(company))
  return (
    <SaveForm form={form} saving={saving} label={common.save} onCancel={cancel}>
      <Lead isNarrow>{settings.company.lead}</Lead>
      <ZoneProposal form={form} />
      <SchemaForm form={form} settled={company.amounts_in.length > 0 ? ['currency'] : []} />
      {unsaved.question}
    </SaveForm>
  )
}

/** Returns the values of the fields, as a form has them. */
const fieldsOf = (company: CompanyResult): JsonObject =>
  Object.fromEntries(
    Object.keys(definition.fields).map((name) => [name, (company as unknown as JsonObject)[name] ?? null]),
  )

/** Offers the zone of the browser while the company has the one that it began with. */
function ZoneProposal({ form: { values, change } }: { form: RecordForm }) {
  const { company } = useTexts().settings
  const { initial } = definition.fields.time_zone
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (values.time_zone !== initial || here === initial) return null
  return (
    <Note
      severity="info"
      action={
        <Button color="inherit" onClick={() => change('time_zone', here)}>
          {company.useZone(here)}
        </Button>
      }
    >
      {company.zoneHere(here)}
    </Note>
  )
}

function Terms({ company: { plan, add_ons, currency, amounts_in } }: { company: CompanyResult }) {
  const { settings } = useTexts()
  const { many } = useRecordTexts()
  const format = useFormat()
  const texts = settings.company
  const shown = (limit: number | null): string => (limit === null ? settings.usage.unlimited : String(limit))
  const { projects, workers } = subscriptionPlans[plan]
  return (
    <Panel title={settings.fields.plan}>
      <Typography>
        {plan} · {texts.limits(shown(projects), shown(workers))}
      </Typography>
      {amounts_in.length > 0 && (
        <>
          <Text variant="h3" mt={2}>
            {settings.fields.currency}
          </Text>
          <Typography>
            {format.currency(currency)} ({currency}). {texts.currencyStays(amounts_in.map(many).join(', '))}
          </Typography>
        </>
      )}
      <Text variant="h3" mt={2}>
        {settings.fields.add_ons}
      </Text>
      {add_ons.length === 0 && <Typography>{texts.noAddOns}</Typography>}
      <Bullets>
        {add_ons.map((addOn) => (
          <li key={addOn}>{texts.addOn[addOn] ?? addOn}</li>
        ))}
      </Bullets>
      <Lead mt={2} mb={0}>
        {texts.byOperator}
      </Lead>
    </Panel>
  )
}
