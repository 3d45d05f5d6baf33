import FormControlLabel from '@mui/material/FormControlLabel'
import Switch from '@mui/material/Switch'
import Typography from '@mui/material/Typography'
import { useNotify } from 'react-admin'
import { useLoaded } from '../../client/use-loaded.ts'
import { useWrite } from '../../client/use-write.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Trouble } from '../../ui/pending.tsx'
import { useSmallForm } from '../../ui/small-form.tsx'

/** Whether what calls say is kept: the company's own switch. */
export function DetailsSwitch() {
  const { calls } = useTexts().settings
  const notify = useNotify()
  const { data, error, reload } = useLoaded('calls.details-switch')
  const keeps = data?.keeps ?? false
  const write = useWrite()
  const form = useSmallForm(() => write('calls.switch-details', { body: { keeps: !keeps } }))
  return (
    <Panel title={calls.keeping}>
      {error && <Trouble error={error} retry={reload} />}
      {data && (
        <>
          <Typography color="textSecondary" sx={{ mb: 1 }}>
            {data.kept_days === 0 ? calls.keepingNever : calls.keepingLead(data.kept_days)}
          </Typography>
          {data.kept_days > 0 && (
            <FormControlLabel
              label={calls.keepingSwitch}
              control={
                <Switch
                  checked={keeps}
                  disabled={form.isBusy}
                  onChange={async () => {
                    if (!(await form.submit())) return
                    notify(keeps ? calls.keepingOff : calls.keepingOn, { type: 'success' })
                    reload()
                  }}
                />
              }
            />
          )}
        </>
      )}
    </Panel>
  )
}
