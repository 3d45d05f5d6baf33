import type { App as HttpApp } from '../http/app.ts'
import type { App as WebhooksApp } from '../webhooks/app.ts'

/** What the console needs of the app, passed by hand. */
export type App = HttpApp & WebhooksApp
