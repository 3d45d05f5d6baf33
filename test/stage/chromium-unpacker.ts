import chromium from '@sparticuz/chromium'

/** A program: unpacks the browser into TMPDIR and prints its path. */
process.stdout.write(await chromium.executablePath())
