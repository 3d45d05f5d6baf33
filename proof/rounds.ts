/** The file of the history of one round; the first has the name as it is. */
export const fileOfRound = (file: string, round: number): string =>
  round === 1 ? file : file.replace(/(\.\w+)?$/, (ending) => `-${round}${ending}`)

/** Makes one round after the other until there is enough, and adds up what they found. */
export async function addRounds<Found extends object>(
  makeRound: (round: number) => Promise<Found>,
  isEnough: (all: Found) => boolean,
): Promise<Found> {
  let all: Found = await makeRound(1)
  for (let round = 2; !isEnough(all); round++) all = addUp(all, await makeRound(round)) as Found
  return all
}

/** Adds two findings of one form: numbers are summed, lists joined, and objects added member by member. */
export function addUp(one: unknown, other: unknown): unknown {
  if (typeof one === 'number' && typeof other === 'number') return one + other
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other]
  if (!isObject(one) || !isObject(other)) return other ?? one
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...names].map((name) => [name, addUp(one[name], other[name])]))
}

const isObject = (value: unknown): value is { [name: string]: unknown } => typeof value === 'object' && value !== null
