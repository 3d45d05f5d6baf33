import { type Statement, sql, statement } from '../statement.ts'
import { type AnswerRow, storeAnswer, storeAnswerThere } from './answers.ts'
import { type CallRow, insertCall } from './calls.ts'

/** The last statement of a write: its call is logged, and its answer kept where a retry with its key is to hear it. */
export const endWrite = (call: CallRow, kept: { key: string; answer: AnswerRow } | undefined): Statement =>
  kept
    ? statement(
        sql`with kept as (${storeAnswer(call.company_id, kept.key, kept.answer)}
    ) ${insertCall(call)}`,
        'end-keyed',
        async (run) => {
          const [, rows] = await Promise.all([
            storeAnswerThere(call.company_id, kept.key, kept.answer)(run),
            run(statement(insertCall(call), 'end')),
          ])
          return rows
        },
      )
    : statement(insertCall(call), 'end')
