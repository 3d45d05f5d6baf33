import { sql, statement } from '../statement.ts'

/** What a connection is asked that is about no table. */

/** Whether it answers at all. */
export const ping = statement(sql`select 1`)

export const begin = statement(sql`begin isolation level read committed`, 'begin')
export const commit = statement(sql`commit`, 'commit')
export const rollback = statement(sql`rollback`, 'rollback')
export const rollbackAndChain = statement(sql`rollback and chain`, 'rollback and chain')
