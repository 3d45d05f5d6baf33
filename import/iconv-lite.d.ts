/** The tables of iconv-lite, whose decoders need the buffers of Node. */
declare module 'iconv-lite/encodings/sbcs-data-generated.js' {
  const tables: {
    readonly [name in 'windows1252' | 'windows1250' | 'windows1253' | 'macroman' | 'cp850']: { chars: string }
  }
  export default tables
}
