import { describe, expect, test } from 'vitest'
import { routes } from '#derive/routes.ts'
import { registry } from '#registry/resources/index.ts'
import { routesTable } from '../../tools/routes-table.ts'

describe('The table of routes', () => {
  const lines = routesTable(routes(registry)).trimEnd().split('\n')

  test('has a line for every route', () => {
    expect(lines).toHaveLength(routes(registry).length + 1)
    expect(lines[1]).toMatch(/^GET +\/v1\/projects +PROJECTS_VIEW +api +200 +overloaded, unauthorized, /)
    expect(lines.at(-1)).toMatch(/^GET +\/llms\.txt +- +- +200 +-$/)
  })

  test('is aligned: every column begins where its heading does', () => {
    const starts = ['PATH', 'SCOPE', 'ADD-ON', 'SUCCESS', 'REFUSALS'].map((heading) =>
      (lines[0] as string).indexOf(heading),
    )
    for (const line of lines) {
      for (const at of starts) expect(line.slice(at - 2, at + 1), line).toMatch(/^ {2}\S$/)
    }
  })
})
