/** What changed under /v1 for those who call it, newest first; the documents show it. CHANGELOG.md says the same. */
export const changes: readonly { version: string; lines: readonly string[] }[] = [
  {
    version: '0.2.0',
    lines: [
      'The OpenAPI document is made for generators: types have names, amounts and ids are `int64`, both answers of a create are one type, and what JSON Schema can say of a body is said. Generate your client anew; what is sent and answered is as before.',
      'A field that `sort` names twice is no longer refused; the first of the two counts.',
    ],
  },
]
