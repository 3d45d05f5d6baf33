/** Where what agents ask for is, and one of it. */
export const agentsPath = '/agents'
export const agentPreviewPath = (id: string): string => `${agentsPath}/${id}`
