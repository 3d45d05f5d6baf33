import { escapeHtml, htmlPage } from './html.ts'
import { routes } from './routes.ts'

/** `asset` is the path of Scalar's script. */
export type ReferenceOptions = { base: string; version: string; asset: string }

/**
 * The page that shows the OpenAPI document and tries its calls. It is Scalar, with all that would talk to another host
 * switched off. Its settings stand in an attribute, so no script of the page is inline.
 */
export function referencePage({ base, version, asset }: ReferenceOptions): string {
  const body = `<noscript>
<h1>Plumbline API ${escapeHtml(version)}</h1>
<p>This page is drawn by JavaScript. What it shows is also in
<a href="${pathOf('openapi')}">openapi.json</a> (OpenAPI 3.1) and <a href="${pathOf('postman')}">postman.json</a>
(Postman 2.1). The API is served at ${escapeHtml(base)}.</p>
</noscript>
<script id="api-reference" type="application/json" data-configuration="${escapeHtml(JSON.stringify(settings))}"></script>
<script src="${escapeHtml(asset)}"></script>
`
  return htmlPage('Plumbline API reference', '<link rel="icon" href="data:,">\n', body)
}

/** What the page needs and no more, as measured in Chromium: Scalar writes its style into the page and loads no font. */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The path of a public document. */
export const pathOf = (id: string): string => routes([]).find((route) => route.id === id)?.path as string

/** Scalar's settings that keep it to this host: no fonts, statistics, assistant or account of its maker. */
const settings = {
  url: pathOf('openapi'),
  authentication: { preferredSecurityScheme: 'bearer' },
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  // Fields in the order of the record, which says what belongs together.
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  // Every status in sight: Scalar keeps its tabs in one line, and the last of them beyond its end.
  // On a phone nothing is cut: tabs wrap, paths break, and a long line of an example scrolls in its own box.
  customCss: [
    '.scalar-card-header-tabs { height: auto }',
    '.scalar-card-header-tabs .tab-list { flex-wrap: wrap }',
    '.endpoint-path { white-space: normal; overflow-wrap: anywhere }',
    '.scalar-card-content { grid-template-columns: minmax(0, 1fr) }',
  ].join(' '),
}
