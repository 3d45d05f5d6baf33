/** Somebody who may sign in. */
export type Account = {
  id: number
  name: string
  email: string
  permissions: string[]
  disabled: boolean
  service: boolean
}
