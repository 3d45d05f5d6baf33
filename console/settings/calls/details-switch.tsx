import FormControlLabel from '@mui/material/FormControlLabel'
import Switch from '@mui/material/Switch'
import { useLoaded } from '../../client/use-loaded.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Lead, Panel } from '../../ui/panel.tsx'
import { Trouble } from '../../ui/pending.tsx'
import { useSmallForm } from '../../ui/small-form.tsx'

/** Whether what calls say is kept: the company's own switch. */
export function DetailsSwitch() {
  const { calls } = useTexts().settings
  const { data, error, reload } = useLoaded('calls.details-switch')
  const keeps = data?.keeps ?? false
  const form = useSmallForm(async ({ write, say }) => {
    await write('calls.switch-details', { body: { keeps: !keeps } })
    say(keeps ? calls.keepingOff : calls.keepingOn)
    reload()
  })
  return (
    <Panel title={calls.keeping}>
      {error && <Trouble error={error} retry={reload} />}
      {data && (
        <>
          <Lead mb={1}>{data.kept_days === 0 ? calls.keepingNever : calls.keepingLead(data.kept_days)}</Lead>
          {data.kept_days > 0 && (
            <FormControlLabel
              label={calls.keepingSwitch}
              control={<Switch checked={keeps} disabled={form.isBusy} onChange={form.submit} />}
            />
          )}
        </>
      )}
    </Panel>
  )
}
