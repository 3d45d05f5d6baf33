import { isDataRoute, type Route } from '#derive/routes.ts'

/**
 * Returns the served routes as a table, for `npm run routes`. Refusals stand in the order in which they are decided.
 */
export function routesTable(routes: readonly Route[]): string {
  const rows = [['METHOD', 'PATH', 'SCOPE', 'ADD-ON', 'SUCCESS', 'REFUSALS'], ...routes.map(formatRow)]
  const widths = (rows[0] as string[]).map((_, column) =>
    Math.max(...rows.map((cells) => (cells[column] as string).length)),
  )
  const lines = rows.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] as number)).join('  '))
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}

function formatRow(route: Route): string[] {
  if (!isDataRoute(route)) return [route.method, route.path, '-', '-', '200', '-']
  const { method, path, scopes, addOn, success } = route
  return [method, path, scopes.join(', ') || '-', addOn, String(success), route.refusals.join(', ')]
}
