/** What every answer of this edge tells a browser that opens it as a page: load nothing, and show it in no frame. */
export const contentPolicy = { 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'" }
