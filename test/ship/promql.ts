/** Labels by the name of their metric. */
export type MetricLabels = Map<string, ReadonlySet<string>>

/** Words of PromQL that are no names of metrics, beside functions, which a parenthesis follows. */
const words = new Set([
  ...['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan', 'start', 'end'],
  ...['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'],
  ...['sum', 'min', 'max', 'avg', 'count', 'group', 'stddev', 'stdvar', 'topk', 'bottomk', 'quantile', 'count_values'],
])
/** A list of labels in parentheses follows them. */
const grouping = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g

/** The metrics and labels that an expression of Prometheus names. */
export function namesIn(expression: string): { metrics: Set<string>; labels: Set<string> } {
  const labels = new Set<string>()
  const withoutTexts = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')
  const rest = withoutTexts
    .replace(/\{([^}]*)\}/g, (_, matchers: string) => {
      for (const [, label] of matchers.matchAll(/([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)/g)) labels.add(`${label}`)
      return ' '
    })
    .replace(grouping, (_, list: string) => {
      for (const label of list.split(',')) if (label.trim() !== '') labels.add(label.trim())
      return ' '
    })
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/\b\d[\w.]*/g, ' ')
  const found = [...rest.matchAll(/\b([a-zA-Z_:][\w:]*)\b(?!\s*\()/g)].map(([, name]) => `${name}`)
  return { metrics: new Set(found.filter((name) => !words.has(name.toLowerCase()))), labels }
}

/** Labels that Prometheus adds to whatever it reads. */
const added = ['job', 'instance']

/** What an expression names and no metric has. */
export function unknownIn(expression: string, known: MetricLabels): string[] {
  const { metrics, labels } = namesIn(expression)
  const of = [...metrics].filter((name) => name !== 'up')
  const its = new Set([...added, ...of.flatMap((name) => [...(known.get(name) ?? [])])])
  return [...of.filter((name) => !known.has(name)), ...[...labels].filter((label) => !its.has(label))]
}
