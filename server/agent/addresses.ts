/** Where somebody decides about a preview: a page of the web interface. */
export const previewPath = (id: string): string => `/#/agents/${id}`
