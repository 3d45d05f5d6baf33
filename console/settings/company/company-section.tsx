import Autocomplete from '@mui/material/Autocomplete'
import TextField from '@mui/material/TextField'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import type { BodyOf } from '#derive/console/operations.ts'
import { currencies } from '#registry/iso-codes.ts'
import { subscriptionPlans } from '#registry/subscription.ts'
import type { CompanyResult } from '../../client/answers.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { rawText } from '../../texts/raw-text.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { useUnsaved } from '../../ui/ask-first.tsx'
import { Bullets } from '../../ui/layout.tsx'
import { Lead, Note, Panel, Text } from '../../ui/panel.tsx'
import { PendingContent } from '../../ui/pending.tsx'
import { SmallField, SmallForm, useSmallForm } from '../../ui/small-form.tsx'

/** Changes name and currency. Shows plan and add-ons, which the operator changes. */
export function CompanySection() {
  const { settings } = useTexts()
  const { data, error, reload } = useLoaded('company.fetch')
  if (error || !data) return <PendingContent error={error} retry={reload} />
  return (
    <>
      {data.is_plain && <Note severity="warning">{settings.company.plain}</Note>}
      <CompanyForm key={JSON.stringify(data)} company={data} onSaved={reload} />
      <Terms company={data} />
    </>
  )
}

function CompanyForm({ company, onSaved }: { company: CompanyResult; onSaved(): Promise<unknown> }) {
  const { settings, common, commonFields, form: wording } = useTexts()
  const texts = settings.company
  const me = useMe()
  const format = useFormat()
  const { currency } = company
  const name = rawText(company.name)
  const amounts_in = company.amounts_in
  const stays = amounts_in.length > 0
  const [typed, setTyped] = useState<Required<BodyOf<'company.update'>>>({ name, currency })
  const { many } = useRecordTexts()
  const form = useSmallForm(async ({ write, say }) => {
    await write('company.update', { body: typed })
    onSaved().then(me.reload)
    say(texts.saved)
  })
  const unsaved = useUnsaved(typed.name !== name || typed.currency !== currency)
  const set = (change: BodyOf<'company.update'>) => setTyped({ ...typed, ...change })
  return (
    <Panel title={settings.sections.company}>
      <SmallForm form={form} confirm={common.save} maxWidth={560}>
        <SmallField label={commonFields.name} {...form.bindField('name', typed.name, (name) => set({ name }))} />
        {stays ? (
          <TextField
            label={texts.currency}
            value={`${format.currency(currency)} (${currency})`}
            helperText={texts.currencyStays(amounts_in.map(many).join(', '))}
            slotProps={{ htmlInput: { readOnly: true } }}
          />
        ) : (
          <Autocomplete
            options={currencies.includes(currency) ? currencies : [currency, ...currencies]}
            value={typed.currency}
            getOptionLabel={(code) => `${format.currency(code)} (${code})`}
            noOptionsText={wording.nothingFound}
            autoHighlight
            disableClearable
            onChange={(_, code) => set({ currency: code })}
            renderInput={(params) => (
              <TextField
                {...params}
                label={texts.currency}
                error={!!form.wrong('currency')}
                helperText={form.wrong('currency') ?? texts.currencyHint}
              />
            )}
          />
        )}
      </SmallForm>
      {unsaved.question}
    </Panel>
  )
}

function Terms({ company: { plan, add_ons } }: { company: CompanyResult }) {
  const { settings } = useTexts()
  const texts = settings.company
  const shown = (limit: number | null): string => (limit === null ? settings.usage.unlimited : String(limit))
  const { projects, workers } = subscriptionPlans[plan]
  return (
    <Panel title={settings.fields.plan}>
      <Typography>
        {plan} · {texts.limits(shown(projects), shown(workers))}
      </Typography>
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
