import GlobalStyles from '@mui/material/GlobalStyles'
import { styled } from '@mui/material/styles'
import type { LabelledText, PaperBlocks } from '#derive/paper.ts'
import { languages } from '#registry/words/index.ts'
import { Foreign } from '../../ui/foreign.tsx'

/** More characters than a field of a paper has. */
const max = 100_000
const Text = ({ text }: { text: string }) => (text === '' ? <br /> : <Foreign text={text} max={max} />)

/**
 * A paper as its PDF shows it: the same texts in the same order. Printed, it stands alone on its pages, and the head of the
 * table and the state across it stand on each.
 */
export function PaperArticle({ blocks, logo }: { blocks: PaperBlocks; logo: string }) {
  const { letterhead, addressee, facts, title, subject, table, totals, texts, bank, footer, across } = blocks
  const { locale, catalogue } = languages[blocks.language]
  return (
    <Article lang={locale} aria-label={title} data-across={across ?? undefined}>
      <GlobalStyles
        styles={{
          '@page': { size: blocks.size === 'LETTER' ? 'letter' : 'A4', margin: '15mm 20mm 22mm' },
          '@media print': {
            body: { background: '#fff' },
            main: { padding: '0 !important' },
            ':has(> article) > :not(article)': { display: 'none !important' },
          },
        }}
      />
      {across !== null && <p className="across">{across}</p>}
      <header>
        <div className="logo">{letterhead.logo !== null && <img src={logo} alt={letterhead.name} />}</div>
        <div>
          <p className="name">
            <Text text={letterhead.name} />
          </p>
          <Lines lines={letterhead.lines} className="small" />
        </div>
      </header>
      <div className="columns">
        <Lines lines={addressee} />
        <Pairs pairs={facts} />
      </div>
      <h2>
        <Text text={title} />
      </h2>
      {subject !== null && (
        <p className="strong">
          <Text text={subject} />
        </p>
      )}
      <table className="lines">
        <thead>
          <tr>
            {table.head.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, n) => (
            <tr key={n}>
              {row.map((text, column) => (
                <td key={column}>
                  <Text text={text} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="columns">
        <div />
        <Pairs pairs={totals} className="sums" />
      </div>
      {texts.map(({ label, lines }) => (
        <section key={label}>
          <h3>{label}</h3>
          <Lines lines={lines} />
        </section>
      ))}
      {bank.length > 0 && (
        <section>
          <h3>{catalogue.paper.bank}</h3>
          <Pairs pairs={bank} />
        </section>
      )}
      <Lines lines={footer} className="small" />
    </Article>
  )
}

const Lines = ({ lines, className }: { lines: readonly string[]; className?: string }) => (
  <div className={className}>
    {lines.map((line, n) => (
      <p key={n}>
        <Text text={line} />
      </p>
    ))}
  </div>
)

function Pairs({ pairs, className }: { pairs: readonly LabelledText[]; className?: string }) {
  if (pairs.length === 0) return null
  return (
    <table className={className}>
      <tbody>
        {pairs.map(({ label, text }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>
              <Text text={text} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Ink on white in every appearance: a paper looks as it is printed. */
const Article = styled('article')({
  position: 'relative',
  maxWidth: '210mm',
  margin: '0 auto',
  padding: '15mm 20mm 22mm',
  overflowWrap: 'anywhere',
  background: '#fff',
  color: '#1c1c1c',
  colorScheme: 'light',
  boxShadow: '0 1px 6px rgb(0 0 0 / 0.3)',
  font: "9.5pt/1.4 'Noto Sans', system-ui, sans-serif",
  '@media (max-width: 700px)': { padding: '6mm' },
  '& p': { margin: 0 },
  '& h2': { font: 'inherit', fontSize: '16pt', fontWeight: 600, margin: '8mm 0 0' },
  '& h3': { font: 'inherit', fontWeight: 600, margin: '5mm 0 0', breakAfter: 'avoid' },
  '& header, & .columns': { display: 'grid', gridTemplateColumns: '1fr 1fr', columnGap: '8mm', marginBottom: '6mm' },
  '& .logo img': { maxWidth: '65mm', maxHeight: '28mm' },
  '& .name': { fontSize: '13pt', fontWeight: 600 },
  '& .small': { fontSize: '8.5pt', color: '#5a5a5a' },
  '& .strong': { fontWeight: 600 },
  '& > .small': { marginTop: '5mm' },
  '& table': { borderCollapse: 'collapse', width: '100%', height: 'fit-content' },
  '& th, & td': { textAlign: 'left', verticalAlign: 'top', padding: 0, fontWeight: 400 },
  '& tbody th': { width: '42%' },
  '& .lines': { margin: '4mm 0 3mm' },
  '& .lines th': { fontWeight: 600 },
  '& .lines th, & .lines td': { padding: '4pt 6pt', borderBottom: '0.5pt solid #b5b5b5' },
  '& .lines tr': { breakInside: 'avoid' },
  '& .lines :is(th, td):not(:first-of-type), & .sums td': { textAlign: 'right', whiteSpace: 'nowrap' },
  '& .sums tr': { breakInside: 'avoid' },
  '& .sums tr:last-child > *': { fontWeight: 600, fontSize: '11pt' },
  // The state is read by its element, and seen in pale letters behind the texts.
  '& .across': { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' },
  isolation: 'isolate',
  '&[data-across]::before': {
    content: 'attr(data-across)',
    position: 'absolute',
    top: '130mm',
    left: '50%',
    translate: '-50% -50%',
    zIndex: -1,
    fontSize: 'min(96pt, 18vw)',
    fontWeight: 600,
    whiteSpace: 'nowrap',
    color: '#e6e6e6',
    printColorAdjust: 'exact',
    rotate: '-45deg',
  },
  '@media print': {
    maxWidth: 'none',
    padding: 0,
    boxShadow: 'none',
    '&[data-across]::before': { position: 'fixed', top: '50%' },
  },
})
