import { type Statement, sql, statement, together } from '../statement.ts'
import { type AnswerRow, keepAnswer, storeAnswer } from './answers.ts'
import { type CallRow, insertCall } from './calls.ts'

/** The last statement of a write: its call is logged, and its answer kept where a retry with its key is to hear it. */
export const endWrite = (call: CallRow, kept: { key: string; answer: AnswerRow } | undefined): Statement =>
  kept
    ? statement(
        sql`with kept as (${storeAnswer(call.company_id, kept.key, kept.answer)}
    ) ${insertCall(call)}`,
        'end-keyed',
        (run) => together(run, keepAnswer(call.company_id, kept.key, kept.answer), statement(insertCall(call), 'end')),
      )
    : statement(insertCall(call), 'end')
