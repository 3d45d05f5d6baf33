import { mdiBookOpenOutline } from '@mdi/js'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { monthsUpTo, rightsOfBooks } from '#derive/books.ts'
import { registry } from '#registry/resources/index.ts'
import { addressOf } from '../../client/ask.ts'
import { useMe } from '../../me/me.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/texts.tsx'
import { AskFirst } from '../../ui/ask-first.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Lead } from '../../ui/panel.tsx'
import { Select } from '../../ui/small-form.tsx'

const monthsMax = 36

/** Asks for a month and downloads the files of all resources with a file for the bookkeeper. */
export function BooksButton() {
  const { books: texts } = useTexts()
  const { may, holds, today } = useMe()
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  const months = monthsUpTo(today(), monthsMax)
  // The last month that is over.
  const [chosen, choose] = useState(months[1]?.from ?? '')
  const files = registry.flatMap((definition) => {
    const { name, list } = definition
    const books = list?.books
    return books && may(name, 'VIEW') && rightsOfBooks(definition, books.columns).every(holds)
      ? [{ name, on: books.on }]
      : []
  })
  if (files.length === 0) return null
  const download = () => {
    const { from, to } = months.find((month) => month.from === chosen) ?? {}
    for (const { name, on } of files) {
      const link = document.createElement('a')
      const query = { form: 'books', sort: on, [`${on}_from`]: from, [`${on}_to`]: to }
      link.href = addressOf('records.export', { records: name, query })
      link.download = ''
      link.click()
    }
    setOpen(false)
  }
  return (
    <>
      <Button variant="outlined" startIcon={<Icon path={mdiBookOpenOutline} />} onClick={() => setOpen(true)}>
        {texts.button}
      </Button>
      {isOpen && (
        <AskFirst title={texts.button} confirm={texts.download} onConfirm={download} onClose={() => setOpen(false)}>
          <Lead>{texts.lead}</Lead>
          <Select
            id="books-month"
            label={texts.month}
            value={chosen}
            options={months.map(({ from }) => ({ value: from, text: format.month(from) }))}
            onChange={(from) => choose(String(from))}
          />
        </AskFirst>
      )}
    </>
  )
}
