/** Where the webhooks are, and one of them. */
export const webhooksPath = '/settings/webhooks'
export const webhookPath = (id: number): string => `${webhooksPath}/${id}`
