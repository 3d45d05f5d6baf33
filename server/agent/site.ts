import { agentRequestBytesMax } from '#registry/agents.ts'
import { isObject } from '#registry/json.ts'
import { orRefusal, orThrow, Refusal } from '#registry/refusals.ts'
import type { Admission } from '../http/admission.ts'
import type { App } from '../http/app.ts'
import { baseOf, refuseForeignOrigin } from '../http/base.ts'
import type { FailureResponder } from '../http/failure-log.ts'
import { readBody } from '../http/read-bytes.ts'
import { type HttpRequest, onlyThese, type Site } from '../http/request-handler.ts'
import { allowOf } from '../http/router.ts'
import type { HttpResponse } from '../http/send.ts'
import { claimOf } from '../pipeline/authorize.ts'
import { errorsAddress } from '../pipeline/response.ts'
import { answerMessage } from './protocol.ts'
import { type AgentRequest, admitAgent, countAgent, type Message, readMessage } from './request.ts'

/** Answers programs that act for a language model, at one path. Decisions, Agents. */
export function createAgents(
  app: App,
  { shares, within, refuseWritesInShortage }: Admission,
  failed: FailureResponder,
): Site {
  const allow = allowOf(['POST'])
  const errorsPage = errorsAddress(app.config.publicUrl)
  return (incoming) => ({ route: 'mcp', answer: () => answer(incoming) })

  async function answer(incoming: HttpRequest): Promise<HttpResponse> {
    const { request, method, peer, budget } = incoming
    if (method !== 'POST') return onlyThese({ allow, options: { Allow: allow } }, method)
    refuseForeignOrigin(app.config, request)
    const { rawHeaders } = request
    const share = shares.of(claimOf(rawHeaders), peer)
    const agentRequest = { ...incoming, app, share, rawHeaders, errorsPage, base: baseOf(app.config, request) }
    const body = await readBody(request, budget, agentRequestBytesMax, () =>
      within('reads', share, async () => (await admitAgent(agentRequest)) !== undefined),
    )
    const message = orRefusal(() => readMessage(agentRequest, body))
    const isWrite = !(message instanceof Refusal) && writes(message)
    return within(isWrite ? 'writes' : 'reads', share, () => answerRead(agentRequest, message, isWrite))
  }

  /** Checks the caller before its message. */
  async function answerRead(
    agentRequest: AgentRequest,
    message: Message | Refusal,
    isWrite: boolean,
  ): Promise<HttpResponse> {
    const admitted = await admitAgent(agentRequest)
    const agent = countAgent(admitted, orThrow(message))
    if (isWrite) refuseWritesInShortage()
    return answerMessage(agent, failed, orThrow(message))
  }
}

/** Returns whether the message calls a tool that writes; a preview is stored, so it writes too. */
const writes = ({ method, params }: Message): boolean =>
  method === 'tools/call' && isObject(params) && (params.name === 'preview' || params.name === 'apply')
