/** Where records are in this interface. */
export const listPath = (kind: string, filter?: object): string =>
  filter ? `/${kind}?filter=${encodeURIComponent(JSON.stringify(filter))}` : `/${kind}`
export const createPath = (kind: string): string => `/${kind}/create`
export const pathOf = (kind: string, id: number | string): string => `/${kind}/${id}/show`
export const editPath = (kind: string, id: number | string): string => `/${kind}/${id}`
