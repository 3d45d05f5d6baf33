import { mdiChevronLeft, mdiChevronRight } from '@mdi/js'
import IconButton from '@mui/material/IconButton'
import Stack from '@mui/material/Stack'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Unbroken } from '../../ui/layout.tsx'
import { Select } from '../../ui/small-form.tsx'

type PagingProps = {
  page: number
  perPage: number
  total?: number | undefined
  setPage(page: number): void
  setPerPage?: (perPage: number) => void
}

/** Shows the position in a list, its length, and links to the other pages. */
export function Paging({ listing }: { listing: PagingProps }) {
  const { list } = useTexts()
  const { page, perPage, total = 0, setPage, setPerPage } = listing
  const last = Math.max(1, Math.ceil(total / perPage))
  return (
    <Stack direction="row" spacing={2} sx={{ justifyContent: 'flex-end', p: 1, px: 2 }}>
      {setPerPage && (
        <Select
          id="per-page"
          label={list.perPage}
          value={perPage}
          options={[10, 25, 50, 100].map((size) => ({ value: size, text: String(size) }))}
          fullWidth={false}
          onChange={setPerPage}
          sx={{ minWidth: 120, mr: 'auto', my: 0.5 }}
        />
      )}
      <Unbroken role="status">{list.page((page - 1) * perPage + 1, Math.min(page * perPage, total), total)}</Unbroken>
      <div>
        <IconButton aria-label={list.previous} disabled={page <= 1} onClick={() => setPage(page - 1)}>
          <Icon path={mdiChevronLeft} />
        </IconButton>
        <IconButton aria-label={list.next} disabled={page >= last} onClick={() => setPage(page + 1)}>
          <Icon path={mdiChevronRight} />
        </IconButton>
      </div>
    </Stack>
  )
}
