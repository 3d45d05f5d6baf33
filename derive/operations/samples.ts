import type { JsonObject } from '#registry/json.ts'

/** The same call in a language. */
export type Sample = { lang: string; label: string; source: string }

/**
 * A create as a program should send it, with an Idempotency-Key of its own: a page that makes samples of parameters
 * would leave out the header, or send the key of an example again and again.
 */
export const createSamples = (path: string, body: JsonObject): Sample[] => [
  { lang: 'Shell', label: 'curl', source: curl(path, body) },
  { lang: 'JavaScript', label: 'fetch', source: javascript(path, body) },
  { lang: 'Python', label: 'requests', source: python(path, body) },
]

const curl = (path: string, body: JsonObject): string =>
  `
curl -X POST "$BASE_URL${path}" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -d '${JSON.stringify(body)}'`.trim()

const javascript = (path: string, body: JsonObject): string =>
  `
// One key for one operation: a retry sends the same one.
const key = crypto.randomUUID()
const answer = await fetch(\`\${process.env.BASE_URL}${path}\`, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.TOKEN}\`,
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
  },
  body: JSON.stringify(${JSON.stringify(body)}),
})
const { data } = await answer.json()`.trim()

const python = (path: string, body: JsonObject): string =>
  `
import os, uuid, requests

# One key for one operation: a retry sends the same one.
key = str(uuid.uuid4())
answer = requests.post(
    os.environ["BASE_URL"] + "${path}",
    headers={
        "Authorization": "Bearer " + os.environ["TOKEN"],
        "Idempotency-Key": key,
    },
    json=${JSON.stringify(body)},
)
data = answer.json()["data"]`.trim()
