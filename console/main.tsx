import createCache from '@emotion/cache'
import { CacheProvider } from '@emotion/react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

/** The nonce of this page. Styles are generated at runtime, and the content policy allows only those with the nonce. */
const nonce = document.querySelector('meta[property=csp-nonce]')?.getAttribute('content') ?? ''
const cache = createCache({ key: 'css', nonce })

createRoot(document.getElementById('root') as HTMLElement).render(
  <CacheProvider value={cache}>
    <App />
  </CacheProvider>,
)
