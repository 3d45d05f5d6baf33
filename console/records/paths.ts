/** Where records are in this interface. */
export const listPath = (resource: string, filter?: object): string =>
  filter ? `/${resource}?filter=${encodeURIComponent(JSON.stringify(filter))}` : `/${resource}`
export const createPath = (resource: string): string => `/${resource}/create`
export const pathOf = (resource: string, id: number | string): string => `/${resource}/${id}/show`
export const editPath = (resource: string, id: number | string): string => `/${resource}/${id}`
export const importPath = (resource: string): string => `/import/${resource}`
