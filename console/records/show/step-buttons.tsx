import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useNavigate } from 'react-admin'
import { isFinal, stepsFrom } from '#derive/form/relations.ts'
import type { Definition } from '#registry/definition.ts'
import { problemText } from '../../texts/refused.ts'
import { useRecordTexts, useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import type { Row } from '../list/record-table.tsx'
import { editPath } from '../paths.ts'
import { FinalStep } from './final-step.tsx'
import { useStep } from './use-step.ts'

type StepButtonsProps = { definition: Definition; record: Row; isSmall?: boolean }

/** The steps open from where a record stands, and no others. */
export function StepButtons({ definition, record, isSmall }: StepButtonsProps) {
  const { name } = definition
  const texts = useTexts()
  const { step, path } = useRecordTexts()
  const navigate = useNavigate()
  const { take, busy, missing, dismiss } = useStep(definition)
  const [asked, setAsked] = useState<string>()
  const steps = stepsFrom(definition, record.status)
  return (
    <>
      {steps.map((to, index) => (
        <Button
          key={to}
          size={isSmall ? 'small' : 'medium'}
          variant={index === 0 && !isSmall ? 'contained' : isSmall ? 'text' : 'outlined'}
          loading={busy === to}
          onClick={() => (isFinal(definition, to) ? setAsked(to) : take(record.id, to))}
        >
          {step(name, to)}
        </Button>
      ))}
      {asked && (
        <FinalStep
          resource={name}
          to={asked}
          onConfirm={() => take(record.id, asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
      <AskFirst
        open={missing.length > 0}
        title={texts.show.stepMissing}
        confirm={texts.show.completeFirst}
        onConfirm={() => navigate(editPath(name, record.id))}
        onClose={dismiss}
      >
        <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
          {missing.map((problem) => (
            <li key={problem.field + problem.code}>
              <strong>{path(name, problem.field)}</strong> {problemText(problem, texts)}
            </li>
          ))}
        </Box>
      </AskFirst>
    </>
  )
}
