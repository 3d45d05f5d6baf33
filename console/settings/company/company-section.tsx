import Alert from '@mui/material/Alert'
import Autocomplete from '@mui/material/Autocomplete'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import Checkbox from '@mui/material/Checkbox'
import FormControlLabel from '@mui/material/FormControlLabel'
import MenuItem from '@mui/material/MenuItem'
import TextField from '@mui/material/TextField'
import Typography from '@mui/material/Typography'
import { useState } from 'react'
import { useNotify } from 'react-admin'
import type { Company } from '#derive/console/answers.ts'
import type { BodyOf } from '#derive/console/operations.ts'
import { addOns } from '#registry/add-ons.ts'
import { currencies } from '#registry/currencies.ts'
import { planNames, plans } from '#registry/plans.ts'
import { ask } from '../../client/ask.ts'
import { useLoaded } from '../../client/use-loaded.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { useSmallForm } from '../../ui/use-small-form.ts'
import { Waiting } from '../../ui/waiting.tsx'

/** Name, currency, plan and add-ons. */
export function CompanySection() {
  const { data, error, reload } = useLoaded('company.fetch')
  if (error) return <Trouble error={error} retry={reload} />
  if (!data) return <Waiting />
  return (
    <>
      {data.is_plain && <PlainNotice />}
      <CompanyForm company={data} />
    </>
  )
}

function PlainNotice() {
  const { settings } = useTexts()
  return (
    <Alert severity="warning" variant="outlined" sx={{ mb: 2 }}>
      {settings.company.plain}
    </Alert>
  )
}

function CompanyForm({ company }: { company: Company }) {
  const { settings, common, form: wording } = useTexts()
  const texts = settings.company
  const me = useMe()
  const format = useFormat()
  const notify = useNotify()
  const { name, currency, plan, add_ons } = company
  const [typed, setTyped] = useState<Required<BodyOf<'company.update'>>>({ name, currency, plan, add_ons })
  const form = useSmallForm(() => ask('company.update', { body: typed }))
  const set = (change: BodyOf<'company.update'>) => setTyped({ ...typed, ...change })
  const shown = (limit: number | null): string => (limit === null ? settings.usage.unlimited : String(limit))
  return (
    <Panel title={settings.sections.company}>
      <form
        noValidate
        onSubmit={async (event) => {
          event.preventDefault()
          if (!(await form.submit())) return
          notify(texts.saved, { type: 'success' })
          await me.reload()
        }}
      >
        <Box sx={{ display: 'grid', gap: 2.5, maxWidth: 560 }}>
          {form.trouble && <Alert severity="error">{form.trouble}</Alert>}
          <TextField
            label={texts.name}
            value={typed.name}
            onChange={({ target }) => set({ name: target.value })}
            error={!!form.wrong('name')}
            helperText={form.wrong('name')}
          />
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
          <TextField
            select
            id="company-plan"
            label={texts.plan}
            value={typed.plan}
            onChange={({ target }) => set({ plan: target.value })}
            error={!!form.wrong('plan')}
            helperText={form.wrong('plan')}
          >
            {planNames.map((plan) => (
              <MenuItem key={plan} value={plan}>
                {plan} · {texts.limits(shown(plans[plan].projects), shown(plans[plan].workers))}
              </MenuItem>
            ))}
          </TextField>
          <Box component="fieldset" sx={{ border: 0, p: 0, m: 0 }}>
            <Typography variant="h3" component="legend" sx={{ p: 0 }}>
              {texts.addOns}
            </Typography>
            {addOns.map((addOn) => (
              <FormControlLabel
                key={addOn}
                sx={{ display: 'flex' }}
                label={texts.addOn[addOn] ?? addOn}
                control={
                  <Checkbox
                    size="small"
                    checked={typed.add_ons.includes(addOn)}
                    onChange={({ target }) =>
                      set({
                        add_ons: target.checked
                          ? [...typed.add_ons, addOn]
                          : typed.add_ons.filter((other) => other !== addOn),
                      })
                    }
                  />
                }
              />
            ))}
          </Box>
          <Button type="submit" variant="contained" loading={form.isBusy} sx={{ justifySelf: 'start' }}>
            {common.save}
          </Button>
        </Box>
      </form>
    </Panel>
  )
}
