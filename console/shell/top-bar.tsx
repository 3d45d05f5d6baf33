import MenuIcon from '@mui/icons-material/Menu'
import Search from '@mui/icons-material/Search'
import AppBar from '@mui/material/AppBar'
import Box from '@mui/material/Box'
import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import Toolbar from '@mui/material/Toolbar'
import { useTexts } from '../texts/texts.tsx'
import { AtEnd } from '../ui/layout.tsx'
import { ProfileMenu } from './profile-menu.tsx'

/** The menu on a small screen, search, and the account. */
export function TopBar({ onMenu, onSearch }: { onMenu(): void; onSearch(): void }) {
  const { shell } = useTexts()
  return (
    <AppBar position="sticky" color="inherit" elevation={0}>
      <Toolbar>
        <IconButton aria-label={shell.menu} onClick={onMenu} edge="start" sx={{ display: { md: 'none' } }}>
          <MenuIcon />
        </IconButton>
        <Button
          color="inherit"
          variant="outlined"
          startIcon={<Search />}
          onClick={onSearch}
          aria-keyshortcuts="Control+K Meta+K"
          sx={{
            color: 'text.secondary',
            borderColor: 'divider',
            flex: { xs: 1, sm: '0 1 320px' },
            justifyContent: 'flex-start',
          }}
        >
          {shell.search}
          <Box
            component="kbd"
            sx={{ ml: 'auto', pl: 2, font: 'inherit', fontSize: '0.75rem', display: { xs: 'none', sm: 'inline' } }}
          >
            {isMac() ? '⌘K' : 'Ctrl K'}
          </Box>
        </Button>
        <AtEnd>
          <ProfileMenu />
        </AtEnd>
      </Toolbar>
    </AppBar>
  )
}

const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform)
