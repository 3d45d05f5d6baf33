import { byConnections } from './attacks/index.ts'
import { attackShortly } from './short-form.ts'

attackShortly(byConnections)
