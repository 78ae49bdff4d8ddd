import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './session/query-client.ts';
import { reloadWhenReplaced } from './app/reload-when-replaced.ts';
import { router } from './app/router.tsx';
import { applyTheme } from './app/theme.ts';
import { Toasts } from './ui/toast.tsx';
import './styles.css';

// The policy lets in only style elements that carry the nonce of the page.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
if (nonce) setNonce(nonce);

applyTheme();
reloadWhenReplaced();
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
