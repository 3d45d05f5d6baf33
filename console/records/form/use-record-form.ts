import { useStore } from 'ra-core'
import { useMemo, useRef, useState } from 'react'
import { beginRecord } from '#derive/form/begin.ts'
import { checkRecord, isFollowing } from '#derive/input.ts'
import { unreadProblems } from '#derive/parse-value.ts'
import { writableFields } from '#derive/schema.ts'
import type { Definition, Problem } from '#registry/definition.ts'
import { choiceOf } from '#registry/fields/index.ts'
import { isObject, isSameJson, type Json, type JsonObject } from '#registry/json.ts'
import { useMe } from '../../me/me.tsx'
import { useHabits } from '../fields/input.ts'
import { useDoubles } from './use-doubles.ts'

/** The values typed into a form of one record, and their problems. */
export type RecordForm = ReturnType<typeof useRecordForm>

/** `given` are the values that a new record begins with, `settled` those among them that nobody changes. */
export function useRecordForm(
  definition: Definition,
  stored: JsonObject | null,
  given: JsonObject = {},
  settled: readonly string[] = [],
) {
  const { company, today } = useMe()
  const [recalled, recall] = useStore<JsonObject>(`${definition.name}.recalled`, {})
  const [before, setBefore] = useState(stored)
  const [start, setStart] = useState<JsonObject>(() => ({
    ...(stored ?? { ...beginRecord(definition, { today: today(), company }), ...recalled }),
    ...given,
  }))
  const [values, setValues] = useState(start)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<readonly Problem[]>([])
  const [isChecked, setChecked] = useState(false)
  const touched = useRef(new Set(settled))

  const changes = useMemo(() => changesOf(definition, before, values), [definition, before, values])
  const habits = useHabits()
  const own = useMemo(
    () => [
      ...checkRecord(definition, changes, before, { today }).problems,
      ...unreadProblems(definition.fields, changes, habits),
    ],
    [definition, before, changes, habits, today],
  )
  const seen = own.filter(({ field }) => isChecked || left.has(topField(field)))
  const seenFields = new Set(seen.map(({ field }) => field))
  const doubles = useDoubles(definition, before?.id, changes, left)

  return {
    definition,
    /** The record as it is stored; null for one that is being created. */
    before,
    values,
    /** The fields that would be sent. */
    changes,
    ...doubles,
    /** The problems to show now. */
    problems: [...seen, ...refused.filter(({ field }) => !seenFields.has(field))],
    isDirty: Object.keys(definition.fields).some((name) => !isSameJson(values[name], start[name])),
    change(name: string, value: Json): void {
      touched.current.add(name)
      setValues((current) => ({ ...current, [name]: value }))
      setRefused((current) => current.filter(({ field }) => topField(field) !== name))
    },
    /** Fills the fields that nobody has touched. */
    fill(values: JsonObject): void {
      const open = Object.entries(values).filter(([name]) => !touched.current.has(name))
      setValues((current) => ({ ...current, ...Object.fromEntries(open) }))
      setRefused([])
    },
    leave: (name: string) => setLeft((current) => (current.has(name) ? current : new Set([...current, name]))),
    /** Checks all values, shows their problems and returns them. */
    checkAll() {
      setChecked(true)
      return own
    },
    /** Keeps on this device what the next form begins with. */
    remember: () => recall(recalledValues(definition, values)),
    /** Shows the problems of a refusal. */
    refuse: setRefused,
    /** Continues with these typed values from another stored version. */
    restart(record: JsonObject, typed: JsonObject): void {
      setBefore(record)
      setStart(record)
      setValues(typed)
      setRefused([])
    },
  }
}

const recalledValues = ({ fields }: Definition, values: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      choiceOf(field)?.recalled ? [[name, values[name] ?? null]] : [],
    ),
  )

/** Returns the fields to send: the filled ones of a new record, the changed ones of a stored one. */
function changesOf(definition: Definition, before: JsonObject | null, values: JsonObject): JsonObject {
  const writable = writableFields(definition).filter(([, field]) => !isFollowing(field, values))
  return Object.fromEntries(
    writable
      .map(([name, field]): [string, Json] => [
        name,
        trimValue(values[name] ?? (field.required && field.initial) ?? null),
      ])
      .filter(([name, value]) => (before === null ? value !== null : !isSameJson(value, before[name])))
      .map(([name, value]) => [name, withoutGaps(value)]),
  )
}

/** Returns lines without their empty members, so that the check reports required ones as missing. */
const withoutGaps = (value: Json): Json =>
  Array.isArray(value)
    ? value.map((line) =>
        isObject(line) ? Object.fromEntries(Object.entries(line).filter(([, inside]) => inside !== null)) : line,
      )
    : value

const trimValue = (value: Json): Json => (typeof value === 'string' ? value.trim() || null : value)

/** Returns the field of a path: `lines` for `lines[3].quantity`. */
export const topField = (path: string): string => path.split(/[.[]/, 1)[0] as string
