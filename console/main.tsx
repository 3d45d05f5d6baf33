import createCache from '@emotion/cache'
import { CacheProvider } from '@emotion/react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

/** Styles are made while the page runs; the policy lets in those that carry the nonce of this answer. */
const nonce = document.querySelector('meta[property=csp-nonce]')?.getAttribute('content') ?? ''
const cache = createCache({ key: 'css', nonce })

createRoot(document.getElementById('root') as HTMLElement).render(
  <CacheProvider value={cache}>
    <App />
  </CacheProvider>,
)
